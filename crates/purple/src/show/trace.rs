//! Journal entries as lines.

mod line;
mod outcome;
mod work;

use purple_journal::{Record, Recorded};

use crate::show::style::{Paint, Tone};
use crate::show::text::{one_line, shortened};
use line::{Line, compact};

/// The longest rendering of a record's content, in characters.
const DETAIL_CHARS_MAX: usize = 240;

/// One entry as one line: place, time, kind, content.
pub(crate) fn trace_line(entry: &Recorded, paint: Paint) -> String {
    let (record, line) = (entry.record(), line(entry.record()));
    // Thousandths of a second, always written out, so that columns line up.
    let at = format!("{:.3}", entry.entry.at);
    let kind = format!("{:<18}", one_line(record.kind()));
    let (number, at) = (format!("{:>4}", entry.seq), paint.text(Tone::Faint, &at));
    let kind = paint.text(line.tone, &kind);
    format!("{number}  {at}  {kind}  {}", content(record, line)).trim_end().to_owned()
}

/// What an entry adds to the line of its state; `None` if it adds nothing.
pub(crate) fn detail(entry: &Recorded) -> Option<String> {
    let record = entry.record();
    if let Record::Unknown(unknown) = record {
        let text = format!("{} {}", unknown.kind(), compact(unknown.data()));
        return Some(shortened(&text, DETAIL_CHARS_MAX));
    }
    let line = line(record);
    let shown = line.is_detail.then(|| content(record, line));
    shown.filter(|text| !text.is_empty())
}

fn content(record: &Record, line: Line) -> String {
    let text = line.text.unwrap_or_else(|| compact(&record.data()));
    shortened(&text, DETAIL_CHARS_MAX)
}

fn line(record: &Record) -> Line {
    match record {
        Record::Task(task) => work::task(task),
        Record::Process(process) => work::process(process),
        Record::Model(model) => work::model(model),
        Record::Tool(tool) => work::tool(tool),
        Record::Plan(plan) => outcome::plan(plan),
        Record::Approval(approval) => outcome::approval(approval),
        Record::Write(write) => outcome::write(write),
        Record::Run(run) => outcome::run(run),
        Record::Turn(turn) => outcome::turn(turn),
        Record::Learning(learning) => outcome::learning(learning),
        Record::Incident(incident) => outcome::incident(incident),
        Record::Operator(operator) => outcome::operator(operator),
        Record::Unknown(_) => Line::data(),
    }
}

#[cfg(test)]
#[path = "trace_tests.rs"]
mod tests;
