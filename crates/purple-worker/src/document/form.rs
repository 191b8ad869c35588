//! A document as a value: made from texts, from JSON or from Markdown, checked, and given back as either.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{Template, heading, mark, render};

/// The longest text of one section, in bytes.
pub const SECTION_BYTES_MAX: usize = 64 * 1024;

/// A document of one kind. Sections that nobody filled are known to be missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    template: Template,
    /// Only sections of the template, and none that is empty.
    texts: BTreeMap<String, String>,
}

/// What is wrong with a document.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Flaw {
    /// It is no record.
    #[error("a document is a record with `document` and `sections`")]
    NotADocument,
    /// There is no such kind.
    #[error("there is no document `{name}`")]
    UnknownKind {
        /// What was asked for.
        name: String,
    },
    /// The kind has no such section.
    #[error("a `{kind}` has no section `{section}`")]
    UnknownSection {
        /// The kind.
        kind: Template,
        /// The section.
        section: String,
    },
    /// A section is there twice.
    #[error("section `{section}` is there twice")]
    Twice {
        /// The section.
        section: String,
    },
    /// A section is no text.
    #[error("section `{section}` is no text")]
    NotText {
        /// The section.
        section: String,
    },
    /// A section is too long.
    #[error("section `{section}` has {bytes} bytes; at most {bytes_max} fit")]
    TooLong {
        /// The section.
        section: String,
        /// Its length.
        bytes: usize,
        /// The bound.
        bytes_max: usize,
    },
    /// A section is required and empty.
    #[error("section `{section}` is required")]
    Missing {
        /// The section.
        section: &'static str,
    },
}

impl Document {
    /// A document of which nothing is filled.
    #[must_use]
    pub const fn empty(template: Template) -> Self {
        Self { template, texts: BTreeMap::new() }
    }

    /// Its kind.
    #[must_use]
    pub const fn template(&self) -> Template {
        self.template
    }

    /// The text of a section.
    #[must_use]
    pub fn text(&self, section: &str) -> Option<&str> {
        self.texts.get(section).map(String::as_str)
    }

    /// Fills a section, below what is there already. An empty text fills nothing.
    ///
    /// # Errors
    ///
    /// [`Flaw::UnknownSection`] and [`Flaw::TooLong`].
    pub fn fill(&mut self, section: &str, text: &str) -> Result<(), Flaw> {
        let text = text.trim();
        if !self.template.sections().contains(&section) {
            return Err(Flaw::UnknownSection { kind: self.template, section: section.to_owned() });
        }
        if text.is_empty() || text == mark(section) {
            return Ok(());
        }
        let whole = match self.texts.get(section) {
            Some(before) => format!("{before}\n\n{text}"),
            None => text.to_owned(),
        };
        if whole.len() > SECTION_BYTES_MAX {
            let (bytes, bytes_max) = (whole.len(), SECTION_BYTES_MAX);
            return Err(Flaw::TooLong { section: section.to_owned(), bytes, bytes_max });
        }
        self.texts.insert(section.to_owned(), whole);
        Ok(())
    }

    /// The required sections that nobody filled, in order.
    #[must_use]
    pub fn missing(&self) -> Vec<&'static str> {
        self.template.missing(&self.texts)
    }

    /// Everything that keeps it from being complete.
    #[must_use]
    pub fn flaws(&self) -> Vec<Flaw> {
        self.missing().into_iter().map(|section| Flaw::Missing { section }).collect()
    }

    /// As Markdown.
    #[must_use]
    pub fn to_markdown(&self) -> String {
        render(self.template, &self.texts)
    }

    /// As JSON: every section in its order, those that are missing with their mark.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let section = |name: &&str| {
            let text = self.text(name).map_or_else(|| mark(name), str::to_owned);
            json!({"name": name, "heading": heading(name), "text": text, "filled": self.text(name).is_some()})
        };
        let sections: Vec<Value> = self.template.sections().iter().map(section).collect();
        json!({
            "document": self.template.name(), "title": self.template.title(), "sections": sections,
            "missing": self.missing(), "complete": self.missing().is_empty(),
        })
    }

    /// Reads what [`Document::to_json`] wrote, or a record of sections by name.
    ///
    /// # Errors
    ///
    /// Every [`Flaw`] but missing sections, which [`Document::flaws`] tells.
    pub fn from_json(value: &Value) -> Result<Self, Vec<Flaw>> {
        let kind = value.get("document").and_then(Value::as_str).ok_or_else(|| vec![Flaw::NotADocument])?;
        let template =
            Template::find(kind).ok_or_else(|| vec![Flaw::UnknownKind { name: kind.to_owned() }])?;
        let given: Vec<(String, &Value)> = match value.get("sections") {
            Some(Value::Object(sections)) => {
                sections.iter().map(|(name, text)| (name.clone(), text)).collect()
            }
            Some(Value::Array(sections)) => {
                let one = |section: &Value| section.get("name").and_then(Value::as_str).map(str::to_owned);
                let texts = sections.iter().map(|section| section.get("text").unwrap_or(&Value::Null));
                sections.iter().map(|section| one(section).unwrap_or_default()).zip(texts).collect()
            }
            Some(_) | None => return Err(vec![Flaw::NotADocument]),
        };
        let mut document = Self::empty(template);
        let mut flaws = Vec::new();
        for (section, text) in given {
            let filled = match text {
                Value::String(_) if document.texts.contains_key(&section) => Err(Flaw::Twice { section }),
                Value::String(text) => document.fill(&section, text),
                Value::Null => document.fill(&section, ""),
                Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
                    Err(Flaw::NotText { section })
                }
            };
            flaws.extend(filled.err());
        }
        if flaws.is_empty() { Ok(document) } else { Err(flaws) }
    }

    /// Takes the texts under those headings of a Markdown text that name a section. What stands elsewhere is not used.
    #[must_use]
    pub fn from_markdown(template: Template, text: &str) -> Self {
        let mut document = Self::empty(template);
        let mut open: Option<(&'static str, usize)> = None;
        let mut body = String::new();
        for line in text.lines() {
            let level = line.trim_start().chars().take_while(|sign| *sign == '#').count();
            let name = folded(line);
            let section = template.sections().iter().copied().find(|section| folded(section) == name);
            // A smaller heading inside a section is a line of it.
            let is_inside = open.is_some_and(|(_, outer)| level > outer) && section.is_none();
            if level > 0 && !is_inside {
                document.close(open, &mut body);
                open = section.map(|section| (section, level));
            } else if open.is_some() {
                body.push_str(line.trim_start_matches('#').trim_end());
                body.push('\n');
            }
        }
        document.close(open, &mut body);
        document
    }

    fn close(&mut self, section: Option<(&'static str, usize)>, body: &mut String) {
        let text = std::mem::take(body);
        if let Some((section, _)) = section {
            let end = text.floor_char_boundary(SECTION_BYTES_MAX);
            // INVARIANT: the section is the template's own; a text that is too long beside an earlier one is left out.
            let _ = self.fill(section, text.get(..end).unwrap_or_default());
        }
    }
}

/// A heading or a name of a section without signs: `## Root Cause:` and `root_cause` are one.
fn folded(text: &str) -> String {
    let words = text.split(|sign: char| !sign.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}
