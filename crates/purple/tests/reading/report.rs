//! Runs many sentences and counts how they were handled.

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::task::JoinSet;

use crate::company;
use crate::judge::{Fault, Verdict, judge};
use crate::row::{Expect, Row};

/// How many companies work at the same time.
const AT_ONCE: usize = 4;

/// Whether a report shows the sentences, or only their ids so that the blind corpus stays blind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Show {
    Sentences,
    Ids,
}

/// How the sentences with one expectation were handled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Count {
    pub(crate) rows: usize,
    pub(crate) right: usize,
    pub(crate) asked: usize,
    pub(crate) failed: usize,
    pub(crate) writes: usize,
    pub(crate) plans: usize,
    pub(crate) figures: usize,
}

impl Count {
    fn add(&mut self, verdict: &Verdict) {
        self.rows += 1;
        *match verdict {
            Verdict::Right => &mut self.right,
            Verdict::Asked => &mut self.asked,
            Verdict::Failed(_) => &mut self.failed,
            Verdict::Wrong(Fault::Write(_)) => &mut self.writes,
            Verdict::Wrong(Fault::Plan(_)) => &mut self.plans,
            Verdict::Wrong(Fault::Figure(_)) => &mut self.figures,
        } += 1;
    }
}

#[derive(Debug)]
pub(crate) struct Report {
    pub(crate) judged: Vec<(Row, Verdict)>,
}

impl Report {
    /// Runs every sentence in a company of its own, several at a time.
    pub(crate) async fn of(rows: Vec<Row>) -> Self {
        let (rows, next) = (Arc::new(rows), Arc::new(AtomicUsize::new(0)));
        let mut workers = JoinSet::new();
        for _ in 0..AT_ONCE {
            workers.spawn(work(Arc::clone(&rows), Arc::clone(&next)));
        }
        let mut judged = workers.join_all().await.concat();
        judged.sort_by_key(|(place, _)| *place);
        let judged = judged.into_iter().map(|(place, verdict)| (rows[place].clone(), verdict)).collect();
        Self { judged }
    }

    pub(crate) fn count(&self, expect: Expect) -> Count {
        self.count_where(|row| row.expect == expect)
    }

    pub(crate) fn count_where(&self, matches: impl Fn(&Row) -> bool) -> Count {
        let mut count = Count::default();
        self.judged.iter().filter(|(row, _)| matches(row)).for_each(|(_, verdict)| count.add(verdict));
        count
    }

    /// The table per expectation, then the rows that are not right, worst first.
    pub(crate) fn to_text(&self, show: Show) -> String {
        let mut text = format!(
            "{:<12}{:>6}{:>7}{:>7}{:>8}{:>14}{:>13}{:>15}\n",
            "expect", "rows", "right", "asked", "failed", "wrong writes", "wrong plans", "wrong figures"
        );
        let lines = Expect::ALL.map(|expect| (expect.to_string(), self.count(expect)));
        let covered = ("covered".to_owned(), self.count_where(Row::is_covered));
        let all = ("all".to_owned(), self.count_where(|_| true));
        for (name, count) in lines.into_iter().chain([covered, all]) {
            let Count { rows, right, asked, failed, writes, plans, figures } = count;
            let _ = writeln!(
                text,
                "{name:<12}{rows:>6}{right:>7}{asked:>7}{failed:>8}{writes:>14}{plans:>13}{figures:>15}"
            );
        }
        let wrong = self.judged.iter().filter(|(_, verdict)| matches!(verdict, Verdict::Wrong(_)));
        let missed =
            self.judged.iter().filter(|(_, verdict)| matches!(verdict, Verdict::Asked | Verdict::Failed(_)));
        wrong.chain(missed).for_each(|(row, verdict)| line(&mut text, row, verdict, show));
        text
    }
}

fn line(text: &mut String, row: &Row, verdict: &Verdict, show: Show) {
    let (id, expect) = (&row.id, row.expect);
    let _ = match (show, verdict) {
        (Show::Sentences, _) => writeln!(text, "{id} {expect}: {verdict:?}\n    {:?}", row.text),
        (Show::Ids, Verdict::Wrong(_)) => writeln!(text, "{id} {expect}: wrong"),
        (Show::Ids, Verdict::Right | Verdict::Asked | Verdict::Failed(_)) => Ok(()),
    };
}

async fn work(rows: Arc<Vec<Row>>, next: Arc<AtomicUsize>) -> Vec<(usize, Verdict)> {
    let mut judged = Vec::new();
    loop {
        let place = next.fetch_add(1, Ordering::Relaxed);
        let Some(row) = rows.get(place) else { return judged };
        judged.push((place, judge(row, &company::run(row).await)));
    }
}
