//! Names that were checked at the door: sessions, steps, people, roles.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A name that is empty, too long, or holds characters that its kind does not allow.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{}` is no {kind}: {rule}", raw.escape_debug())]
pub struct BadName {
    /// What was given, cut to a showable length.
    pub raw: String,
    /// What it should have been.
    pub kind: &'static str,
    /// The rule it breaks.
    pub rule: &'static str,
}

const SHOWN_CHARS_MAX: usize = 40;

fn bad(raw: &str, kind: &'static str, rule: &'static str) -> BadName {
    BadName { raw: raw.chars().take(SHOWN_CHARS_MAX).collect(), kind, rule }
}

macro_rules! name {
    ($(#[$doc:meta])* $name:ident, $kind:literal, $bytes_max:literal, $rule:literal, $clean:expr) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            /// The longest one, in bytes.
            pub const BYTES_MAX: usize = $bytes_max;

            /// Checks the text and takes it.
            pub fn parse(raw: &str) -> Result<Self, BadName> {
                let clean: fn(u8) -> bool = $clean;
                let fits = (1..=Self::BYTES_MAX).contains(&raw.len());
                if fits && raw.bytes().all(clean) {
                    Ok(Self(raw.to_owned()))
                } else {
                    Err(bad(raw, $kind, $rule))
                }
            }

            /// The text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl TryFrom<String> for $name {
            type Error = BadName;

            fn try_from(raw: String) -> Result<Self, BadName> {
                Self::parse(&raw)
            }
        }

        impl From<$name> for String {
            fn from(name: $name) -> Self {
                name.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str(&self.0)
            }
        }
    };
}

name!(
    /// A tool's name as its server gives it.
    ///
    /// MCP allows 128 characters; the slash is in its naming proposal and on real servers.
    ToolName, "tool name", 128, "1 to 128 ASCII letters, digits, `_`, `-`, `.` or `/`",
    |byte| byte.is_ascii_alphanumeric() || b"_-./".contains(&byte)
);
name!(
    /// The name of one operation inside a plan.
    ///
    /// Without dots, so that a reference `step.field` can be taken apart in one way only.
    StepId, "step", 64, "1 to 64 ASCII letters, digits, `_` or `-`",
    |byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte)
);
name!(
    /// The session that a plan belongs to.
    SessionId, "session", 128, "1 to 128 visible ASCII characters",
    |byte| byte.is_ascii_graphic()
);
name!(
    /// A human being, whichever account or channel they use.
    PersonId, "person", 128, "1 to 128 visible ASCII characters",
    |byte| byte.is_ascii_graphic()
);
name!(
    /// A business role such as `ap_lead` or `cfo`.
    Role, "role", 64, "1 to 64 lower-case ASCII letters, digits or `_`",
    |byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_'
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_name_is_ascii_and_of_the_length_that_mcp_allows() {
        for good in [
            "a",
            "get_invoice",
            "admin.tools.list",
            "user-profile/update",
            "DATA_EXPORT_v2",
            &"x".repeat(128),
        ] {
            assert_eq!(ToolName::parse(good).unwrap().as_str(), good);
        }
        let long = "x".repeat(129);
        for bad in ["", &long, "get invoice", "gеt_invoice", "get_invoice\u{200b}", "a,b", "a\0", "a:b", "é"]
        {
            assert!(ToolName::parse(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn each_kind_of_name_has_its_own_rule() {
        let dotted = "a.b";
        assert!(StepId::parse(dotted).is_err() && SessionId::parse(dotted).is_ok());
        assert!(
            Role::parse("ap_lead").is_ok()
                && Role::parse("AP_Lead").is_err()
                && Role::parse("ap-lead").is_err()
        );
        assert!(PersonId::parse("anna@example.com").is_ok() && PersonId::parse("anna b").is_err());
        for name in ["", " ", "ä"] {
            assert!(StepId::parse(name).is_err() && SessionId::parse(name).is_err());
            assert!(Role::parse(name).is_err() && PersonId::parse(name).is_err());
        }
    }

    #[test]
    fn a_refusal_shows_the_name_cut_and_made_visible() {
        let error = ToolName::parse(&format!("a\n{}", "x".repeat(200))).unwrap_err();
        let shown = format!("a\\n{}", "x".repeat(38));
        assert_eq!(
            error.to_string(),
            format!("`{shown}` is no tool name: 1 to 128 ASCII letters, digits, `_`, `-`, `.` or `/`")
        );
    }

    #[test]
    fn a_stored_name_is_checked_when_read() {
        assert_eq!(serde_json::from_str::<Role>("\"cfo\"").unwrap(), Role::parse("cfo").unwrap());
        assert!(serde_json::from_str::<Role>("\"CFO\"").is_err());
    }
}
