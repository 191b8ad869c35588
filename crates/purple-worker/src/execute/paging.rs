//! Lists in pages: asks on until everything is there or a limit is met, and never says that a part is the whole.

use std::collections::BTreeSet;

use purple_process::{Digest, Json, Number, Values};
use serde_json::Value;

use crate::port::Called;

use super::catalogue::Known;
use super::page::{Asks, Cursor, Page, Place};
use super::reader::{Completeness, Got, Reach, Reading, Seen, Why};

/// The most pages of one list.
pub(crate) const PAGES_MAX: usize = 100;
/// The most rows of one list.
pub(crate) const ROWS_MAX: usize = 20_000;
/// The most bytes that the rows of one list come to, as JSON.
pub(crate) const ROWS_BYTES_MAX: usize = 8 * 1024 * 1024;
/// The most empty pages in a row.
const EMPTY_PAGES_MAX: usize = 3;
/// Rows of a page that are asked for, where the tool allows as many.
const PAGE_ROWS: u64 = 200;

const _: () = assert!(PAGES_MAX < super::reader::READ_CALLS_MAX);

impl<'a> Reading<'a> {
    /// A read, with all its pages. The answer, and whether it is all there is.
    pub(super) async fn paged(
        &mut self,
        tool: &'a Known,
        arguments: &Values,
        (reach, why): (Reach, Why),
    ) -> (Got<'a>, Completeness) {
        let first_arguments = Asks::of(tool).widened(arguments, PAGE_ROWS);
        let got = self.corrected(tool, &first_arguments, (reach, why)).await;
        let Called::Answered(first) = &got.called else { return (got, Completeness::Whole) };
        let first = first.for_work();
        if let Some(completeness) = got.merged.clone() {
            return (got, completeness);
        }
        let asks = Asks::of(got.tool);
        let Some(place) = Place::of(first) else { return (got, Completeness::Whole) };
        if !asks.speaks_of_pages(first, &place) {
            return (got, Completeness::Whole);
        }
        let mut list = List::new(first.clone(), place);
        // What the caller chose is the caller's page; only a page that we chose is followed by others.
        let ours = |name: &String| first_arguments.contains_key(name) && !arguments.contains_key(name);
        let theirs: Values = got
            .arguments
            .iter()
            .filter(|(name, _)| !ours(name))
            .map(|(n, v)| (n.clone(), v.clone()))
            .collect();
        if let Some(choice) = asks.chosen(&theirs) {
            let completeness = list.of_one_page(&asks, &choice);
            return list.into_got(got, completeness);
        }
        let completeness = loop {
            match list.next(&asks, &got.arguments) {
                Next::Done => break Completeness::Whole,
                Next::Cut(reason) => break Completeness::Cut { reason },
                Next::Ask(arguments) => {
                    let (tool, why) = (got.tool, Why::NextPage);
                    let page = self.corrected(tool, &arguments, (Reach::ThisTool, why)).await;
                    match page.called {
                        Called::Answered(page) => list.take(page.into_work()),
                        Called::Refused { .. }
                        | Called::Asked(_)
                        | Called::NotSent { .. }
                        | Called::Lost { .. } => {
                            let said = Seen::of(&page.called);
                            let reason = format!("page {} cannot be read: {}", list.pages + 1, said.said());
                            break Completeness::Cut { reason };
                        }
                    }
                }
            }
        };
        list.into_got(got, completeness)
    }
}

/// The rows of an answer, wherever they stand.
pub(crate) fn rows(answer: &Value) -> &[Value] {
    Place::of(answer).and_then(|place| place.rows(answer)).map_or(&[], Vec::as_slice)
}

/// The rows of an answer and where they stand: nothing for an answer that is the list, else its field by dots.
pub(crate) fn rows_at(answer: &Value) -> Option<(String, &Vec<Value>)> {
    let place = Place::of(answer)?;
    let name = match &place {
        Place::Whole => String::new(),
        Place::Field(name) => name.clone(),
        Place::Inner(outer, name) => format!("{outer}.{name}"),
    };
    Some((name, place.rows(answer)?))
}

/// Whether an answer is a list without rows.
pub(crate) fn is_empty(answer: &Value) -> bool {
    Place::of(answer).and_then(|place| place.rows(answer)).is_some_and(Vec::is_empty)
}

/// What to do after a page.
#[derive(Debug, PartialEq)]
enum Next {
    Ask(Values),
    Done,
    Cut(String),
}

/// A list that is being put together.
#[derive(Debug)]
struct List {
    /// The first answer, without its rows.
    frame: Value,
    place: Place,
    rows: Vec<Value>,
    bytes: usize,
    pages: usize,
    /// Of the page that came last.
    last: Page,
    cursors: BTreeSet<String>,
    seen: BTreeSet<Digest>,
    empty_pages: usize,
    /// Why nothing more may be asked for.
    trouble: Option<String>,
}

impl List {
    fn new(first: Value, place: Place) -> Self {
        let mut list = Self {
            frame: Value::Null,
            place,
            rows: Vec::new(),
            bytes: 0,
            pages: 0,
            last: Page::default(),
            cursors: BTreeSet::new(),
            seen: BTreeSet::new(),
            empty_pages: 0,
            trouble: None,
        };
        list.frame = first.clone();
        list.take(first);
        list
    }

    /// Adds a page.
    fn take(&mut self, mut answer: Value) {
        self.pages += 1;
        self.last = Page::read(&answer, &self.place);
        let Some(rows) = self.place.rows_mut(&mut answer).map(std::mem::take) else {
            self.trouble = Some(format!("page {} is no list as the first one is", self.pages));
            return;
        };
        if rows.is_empty() {
            self.empty_pages += 1;
            return;
        }
        self.empty_pages = 0;
        let rows = Value::Array(rows);
        let text = rows.to_string();
        if !self.seen.insert(Digest::of(text.as_bytes())) {
            self.trouble = Some(format!("page {} repeats an earlier page", self.pages));
            return;
        }
        self.bytes = self.bytes.saturating_add(text.len());
        if let Value::Array(rows) = rows {
            self.rows.extend(rows);
        }
    }

    /// The next arguments, or why there are none.
    fn next(&mut self, asks: &Asks, first: &Values) -> Next {
        if let Some(trouble) = self.trouble.take() {
            return Next::Cut(trouble);
        }
        let Some(arguments) = self.following(asks, first) else { return self.end(asks) };
        let reason = if self.pages >= PAGES_MAX {
            format!("more than {PAGES_MAX} pages")
        } else if self.rows.len() >= ROWS_MAX {
            format!("more than {ROWS_MAX} rows")
        } else if self.bytes >= ROWS_BYTES_MAX {
            format!("more than {ROWS_BYTES_MAX} bytes")
        } else if self.empty_pages >= EMPTY_PAGES_MAX {
            format!("{EMPTY_PAGES_MAX} empty pages, and the server says that there is more")
        } else if let Some(cursor) = self.repeated_cursor() {
            format!("the server gave the cursor `{cursor}` before")
        } else {
            return Next::Ask(arguments);
        };
        Next::Cut(reason)
    }

    /// The arguments of the page after the last one, if there is one and it can be asked for.
    fn following(&self, asks: &Asks, first: &Values) -> Option<Values> {
        let mut arguments = first.clone();
        let last = &self.last;
        if let (Cursor::Next(cursor), Some(parameter)) = (&last.cursor, &asks.cursor) {
            if last.has_more == Some(false) {
                return None;
            }
            arguments.insert(parameter.clone(), cursor.clone());
            return Some(arguments);
        }
        if last.cursor != Cursor::Unsaid || !self.has_more(asks, first) {
            return None;
        }
        let count = |number: usize| i64::try_from(number).ok();
        if let Some(parameter) = &asks.page {
            // The server's own count, if it has one: some begin at 0.
            let here = last.number.or_else(|| count(self.pages))?;
            let next = here.checked_add(1)?;
            arguments.insert(parameter.clone(), Json::Number(Number::from(next)));
            return Some(arguments);
        }
        let parameter = asks.offset.as_ref()?;
        arguments.insert(parameter.clone(), Json::Number(Number::from(count(self.rows.len())?)));
        Some(arguments)
    }

    /// Whether a next page is to be expected. Where nothing is said, a full page is followed by another.
    fn has_more(&self, asks: &Asks, first: &Values) -> bool {
        let last = &self.last;
        let counted = u64::try_from(self.rows.len()).unwrap_or(u64::MAX);
        if let Some(has_more) = last.has_more {
            return has_more;
        }
        if let Some(total) = last.total {
            return counted < total && last.rows > 0;
        }
        if let (Some(pages), Some(number)) = (last.total_pages, last.number) {
            return number < pages;
        }
        let size = last.size.or_else(|| asks.size_in(first));
        last.rows > 0 && size.is_none_or(|size| u64::try_from(last.rows).unwrap_or(u64::MAX) >= size)
    }

    /// There is no next page to ask for: is that all?
    fn end(&self, asks: &Asks) -> Next {
        match self.short_of(asks) {
            Some(reason) => Next::Cut(reason),
            None => Next::Done,
        }
    }

    /// What the server says about rows that are not here.
    fn short_of(&self, asks: &Asks) -> Option<String> {
        let last = &self.last;
        let counted = u64::try_from(self.rows.len()).unwrap_or(u64::MAX);
        if matches!(last.cursor, Cursor::Next(_)) && asks.cursor.is_none() {
            return Some("there is a next page, and no parameter takes its cursor".to_owned());
        }
        if last.has_more == Some(true) {
            return Some("the server says that there is more, and not how to ask for it".to_owned());
        }
        let total = last.total.filter(|total| *total > counted)?;
        Some(format!("the server speaks of {total} rows and gave {counted}"))
    }

    fn repeated_cursor(&mut self) -> Option<String> {
        let Cursor::Next(cursor) = &self.last.cursor else { return None };
        let text = cursor.to_wire();
        (!self.cursors.insert(text.clone())).then_some(text)
    }

    /// Whether one page that the caller chose is all there is.
    fn of_one_page(&mut self, asks: &Asks, choice: &str) -> Completeness {
        if let Some(trouble) = self.trouble.take() {
            return Completeness::Cut { reason: trouble };
        }
        let more = self.last.has_more == Some(true) || matches!(self.last.cursor, Cursor::Next(_));
        let elsewhere = choice != asks.size.as_deref().unwrap_or_default();
        if more || elsewhere || self.short_of(asks).is_some() {
            return Completeness::cut(format!("only the page was read that `{choice}` asked for"));
        }
        Completeness::Whole
    }

    /// All rows in the shape of the first answer, and whether that is all.
    fn into_got<'a>(mut self, got: Got<'a>, completeness: Completeness) -> (Got<'a>, Completeness) {
        let mut value = std::mem::take(&mut self.frame);
        if let Some(rows) = self.place.rows_mut(&mut value) {
            *rows = std::mem::take(&mut self.rows);
        }
        if completeness == Completeness::Whole {
            self.place.say_done(&mut value);
        }
        // A bare list cannot say that it is cut; a record cannot be taken for the whole list.
        if let (Value::Array(_), Completeness::Cut { .. }) = (&value, &completeness) {
            value = serde_json::json!({ "rows": value });
        }
        completeness.mark(&mut value);
        (Got { called: Called::Answered(value.into()), ..got }, completeness)
    }
}

#[cfg(test)]
#[path = "paging_tests.rs"]
mod tests;
