//! The card as plain text.
//!
//! Our own words stand left of [`VALUE_COLUMN`], and everything from outside stands right of it, on every line.
//! So no value can look like a title, a label or a button.

use jiff::Timestamp;

use super::Card;
use super::parts::{Effect, OrderedBy, Provenance, Yes};

/// Where values begin, in characters.
pub const VALUE_COLUMN: usize = 20;
/// The narrowest and the widest text, in characters.
const WIDTH_MIN: usize = 56;
const WIDTH_MAX: usize = 160;

/// The titles of the parts. Each stands alone on its line, at its very beginning.
pub const TITLES: [&str; 9] = [
    "NOT IN THE REQUEST",
    "APPROVAL",
    "EFFECT",
    "WHY",
    "ARITHMETIC",
    "EVIDENCE",
    "HISTORY",
    "WHO",
    "DECISION",
];

pub(super) fn render(card: &Card, width: usize) -> String {
    let mut page = Page { out: String::new(), room: width.clamp(WIDTH_MIN, WIDTH_MAX) - VALUE_COLUMN };
    if card.not_in_the_request().next().is_some() {
        page.title("NOT IN THE REQUEST");
        page.rows("nobody asked for", card.not_in_the_request().map(|effect| effect.headline.to_string()));
    }
    page.title("APPROVAL");
    page.row("to decide", card.headline.text.as_str());
    page.rows("unusual", card.headline.unusual.iter().map(|line| line.as_str().to_owned()));
    let edited = card.edited.iter().map(|field| {
        format!("{}: {} → {}, by {} on {}", field.name, field.before, field.after, field.by, time(field.at))
    });
    page.rows("edited", edited);
    page.title("EFFECT");
    for (at, effect) in card.effects.iter().enumerate() {
        operation(&mut page, at + 1, effect);
    }
    why(&mut page, card);
    if !card.arithmetic.lines.is_empty() {
        page.title("ARITHMETIC");
        let lines = card.arithmetic.lines.iter().map(|line| format!("{} = {}", line.name, line.value));
        page.rows("exact", lines.chain(more(card.arithmetic.more)));
    }
    if !card.evidence.lines.is_empty() {
        page.title("EVIDENCE");
        for line in &card.evidence.lines {
            page.row(line.trust.label(), &format!("{}({})", line.tool, line.arguments));
            if !line.found.as_str().is_empty() {
                page.row("", line.found.as_str());
            }
            let at = line.read_at.strftime("%Y-%m-%d %H:%M:%S UTC");
            page.row(
                "",
                &match line.trust {
                    Provenance::NotRead => format!("tried {at}"),
                    Provenance::SystemOfRecord | Provenance::Counterparty | Provenance::UntrustedText => {
                        format!("read {at} · {}", line.digest)
                    }
                },
            );
        }
        page.rows("", more(card.evidence.more));
    }
    if let Some(party) = &card.history.party {
        page.title("HISTORY");
        page.row("with", party.as_str());
        let lines = card.history.lines.iter().map(ToString::to_string);
        let none = card.history.lines.is_empty().then(|| "none on record".to_owned());
        page.rows("earlier", none.into_iter().chain(lines).chain(more(card.history.more)));
    }
    who(&mut page, card);
    page.title("DECISION");
    page.row("yes", card.buttons.approve.as_str());
    page.row("no", card.buttons.decline.as_str());
    let editable = card.editable.iter().map(|field| format!("{} = {}", field.name, field.value));
    page.rows("may be edited", editable);
    page.row("expires", &format!("{}; no answer until then is a no", exactly(card.expires_at)));
    page.row("approval", &card.approval_id());
    page.row("plan", &card.plan.to_string());
    page.row("mode", card.mode.name());
    page.out
}

fn operation(page: &mut Page, number: usize, effect: &Effect) {
    page.row(&format!("{number}."), effect.headline.as_str());
    page.rows("asked for by", effect.ordered.iter().map(OrderedBy::label));
    page.rows("done before", effect.again.iter().map(ToString::to_string));
    page.row("step", &format!("{} · {} · {}", effect.step, effect.kind, effect.tool));
    page.rows(
        "gives",
        effect.arguments.iter().map(|argument| format!("{} = {}", argument.name, argument.value)),
    );
    page.rows(
        "changes",
        effect.changes.iter().map(|change| {
            let before = change.before.as_ref().map_or("(not read)", |before| before.as_str());
            format!("{}: {before} → {}", change.field, change.after)
        }),
    );
    page.rows("decided on", effect.decided_on.iter().map(|seen| format!("{} = {}", seen.name, seen.value)));
    page.rows("tells", effect.recipients.iter().map(ToString::to_string));
    page.rows("quiet hours", effect.quiet.iter().map(ToString::to_string));
    let verified = effect.verified_by.as_ref().map(|tool| format!("read back by {tool}"));
    page.row("verified", verified.as_deref().unwrap_or("no: nothing can read it back"));
    let undone = effect.undone_by.as_ref().map(|tool| format!("yes, by {tool}"));
    page.row("reversible", undone.as_deref().unwrap_or("no"));
    page.row("key", &effect.key);
}

fn why(page: &mut Page, card: &Card) {
    let why = &card.why;
    page.title("WHY");
    page.row("rule", why.rule.as_ref().map_or("none matched", |rule| rule.as_str()));
    page.rows("numbers", why.numbers.iter().map(ToString::to_string));
    page.rows("because", why.because.iter().map(ToString::to_string));
    page.rows("source", why.source.iter().map(ToString::to_string));
    page.rows("facts", why.facts.iter().map(ToString::to_string));
    page.rows("in doubt", why.doubts.iter().map(ToString::to_string));
    page.rows("also", why.also.iter().map(ToString::to_string));
    page.rows("otherwise", why.otherwise.iter().map(ToString::to_string));
    page.row("process", why.process.as_str());
    page.rows("policy", why.policies.iter().map(ToString::to_string));
}

fn who(page: &mut Page, card: &Card) {
    let who = &card.who;
    page.title("WHO");
    page.row("requester", who.requester.as_str());
    page.rows("must say yes", who.asks.iter().cloned());
    let given = who.given.iter().map(|Yes { person, on_behalf_of, channel, at }| {
        let behalf = on_behalf_of.as_ref().map(|principal| format!(" for {principal}")).unwrap_or_default();
        format!("{person}{behalf} · {} · {channel}", time(*at))
    });
    let none = who.given.is_empty().then(|| "nobody yet".to_owned());
    page.rows("said yes", none.into_iter().chain(given));
    page.rows("excluded", who.excluded.iter().map(ToString::to_string));
    if !who.excluded.is_empty() && !who.enforced {
        page.row("", "(one person at one keyboard: recorded, not enforced)");
    }
    page.row("asked", &time(card.asked_at));
}

fn time(at: Timestamp) -> String {
    at.strftime("%Y-%m-%d %H:%M UTC").to_string()
}

/// The second counts: after it no yes is taken.
fn exactly(at: Timestamp) -> String {
    at.strftime("%Y-%m-%d %H:%M:%S UTC").to_string()
}

fn more(count: usize) -> Option<String> {
    (count > 0).then(|| format!("and {count} more"))
}

struct Page {
    out: String,
    /// Characters right of the column.
    room: usize,
}

impl Page {
    fn title(&mut self, title: &str) {
        if !self.out.is_empty() {
            self.out.push('\n');
        }
        self.out.push_str(title);
        self.out.push('\n');
    }

    /// Rows of one label, which stands on the first.
    fn rows(&mut self, label: &str, values: impl IntoIterator<Item = String>) {
        let mut label = label;
        for value in values {
            self.row(label, &value);
            label = "";
        }
    }

    /// A label of ours and a value, wrapped right of the column.
    fn row(&mut self, label: &str, value: &str) {
        let mut label = label;
        let indent = VALUE_COLUMN - 2;
        for line in wrapped(value, self.room) {
            self.out.push_str(format!("  {label:<indent$}{line}").trim_end());
            self.out.push('\n');
            label = "";
        }
    }
}

/// Breaks a line at spaces where that is possible. At least one line.
fn wrapped(text: &str, room: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut used = 0;
    for word in text.split_inclusive(' ') {
        let length: usize = word.trim_end().chars().map(columns).sum();
        if used > 0 && used + length > room {
            lines.push(std::mem::take(&mut line));
            used = 0;
        }
        for character in word.chars() {
            if used + columns(character) > room && character != ' ' {
                lines.push(std::mem::take(&mut line));
                used = 0;
            }
            line.push(character);
            used += columns(character);
        }
    }
    lines.push(line);
    lines
}

/// How wide a terminal shows it: letters of the far east take two columns.
fn columns(character: char) -> usize {
    let wide = matches!(
        character,
        '\u{1100}'..='\u{115f}'
            | '\u{2e80}'..='\u{a4cf}'
            | '\u{ac00}'..='\u{d7a3}'
            | '\u{f900}'..='\u{faff}'
            | '\u{fe30}'..='\u{fe6f}'
            | '\u{1f300}'..='\u{1faff}'
            | '\u{20000}'..='\u{3fffd}'
    );
    if wide { 2 } else { 1 }
}
