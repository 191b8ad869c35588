//! Colour: the one place that knows escape codes.

use crate::cli::ColorWhen;
use crate::config::Environment;

/// What a piece of text is, for the eye. Words say the same without colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tone {
    /// Well.
    Good,
    /// Look here.
    Warning,
    /// Wrong.
    Bad,
    /// A heading.
    Strong,
    /// Less important.
    Faint,
}

/// Paints text, or leaves it plain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Paint {
    /// With escape codes.
    Colored,
    /// As it is.
    Plain,
}

impl Paint {
    /// Decides for one stream: the flag, then `NO_COLOR`, then `CLICOLOR_FORCE`, then whether it is a terminal.
    pub(crate) fn for_stream(when: ColorWhen, environment: &Environment, terminal: bool) -> Self {
        let colored = match when {
            ColorWhen::Always => true,
            ColorWhen::Never => false,
            ColorWhen::Auto if environment.get("NO_COLOR").is_some() => false,
            ColorWhen::Auto if environment.get("CLICOLOR_FORCE").is_some_and(|value| value != "0") => true,
            ColorWhen::Auto => terminal && environment.get("TERM") != Some("dumb"),
        };
        if colored { Self::Colored } else { Self::Plain }
    }

    /// The text in this tone.
    pub(crate) fn text(self, tone: Tone, text: &str) -> String {
        let code = match tone {
            Tone::Good => "32",
            Tone::Warning => "33",
            Tone::Bad => "31",
            Tone::Strong => "1",
            Tone::Faint => "2",
        };
        match self {
            Self::Colored => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
            Self::Plain => text.to_owned(),
        }
    }
}
