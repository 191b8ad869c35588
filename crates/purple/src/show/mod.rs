//! How things look: data on stdout, talk on stderr, colour only where a person sees it.

mod live;
mod operators;
mod reading;
mod run;
mod screen;
mod style;
mod table;
mod text;
mod trace;

pub(crate) use live::Live;
pub(crate) use operators::{operator_by, operator_text};
pub(crate) use reading::reading_lines;
pub(crate) use run::{exit_of, inbox_line, run_line, run_text};
pub(crate) use screen::Screen;
pub(crate) use style::Tone;
pub(crate) use table::Table;
pub(crate) use text::{one_line, visible};
pub(crate) use trace::trace_line;
