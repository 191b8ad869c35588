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
        name!($(#[$doc])* $name, $kind, $bytes_max, $rule, $clean, str::to_owned);
    };
    ($(#[$doc:meta])* $name:ident, $kind:literal, $bytes_max:literal, $rule:literal, $clean:expr, $form:expr) => {
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
                    let form: fn(&str) -> String = $form;
                    Ok(Self(form(raw)))
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
    /// A human being, whichever account or channel they use. In lower case: `Lea` and `lea` are one person.
    ///
    /// ASCII only, which NFKC leaves as it is, and in which no letter of another script can look like one of these
    /// (docs/decisions/0035-names-of-people.md).
    PersonId, "person", 128, "1 to 128 visible ASCII characters",
    |byte| byte.is_ascii_graphic(), str::to_ascii_lowercase
);

impl PersonId {
    /// What the name looks like: two people whose names look alike cannot be told apart on a card.
    ///
    /// The pairs are the ASCII part of the confusables of UTS 39, in lower case, and `vv`. What is neither a letter nor
    /// a digit tells nobody apart: `lea`, `lea.` and `l-ea` are read, spoken and searched alike.
    pub fn looks(&self) -> String {
        let mut looks = String::with_capacity(self.0.len());
        for letter in self.0.chars() {
            match letter {
                '1' | '|' => looks.push('l'),
                '0' => looks.push('o'),
                'm' => looks.push_str("rn"),
                'w' => looks.push_str("vv"),
                other if other.is_ascii_alphanumeric() => looks.push(other),
                _ => {}
            }
        }
        looks
    }
}
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
    fn one_person_has_one_name_and_no_other_script_can_imitate_it() {
        let lea = PersonId::parse("lea").unwrap();
        for same in ["Lea", "LEA", "lEa"] {
            assert_eq!(PersonId::parse(same).unwrap(), lea);
            assert_eq!(serde_json::from_str::<PersonId>(&format!("\"{same}\"")).unwrap(), lea);
        }
        for alien in ["l\u{435}a", "\u{ff4c}\u{ff45}\u{ff41}", "le\u{200b}a", "lea\u{301}", "\u{406}ea"] {
            assert!(PersonId::parse(alien).is_err(), "{alien:?}");
        }
    }

    #[test]
    fn names_that_look_alike_have_the_same_looks() {
        let looks = |name: &str| PersonId::parse(name).unwrap().looks();
        for (one, other) in [("lea", "1ea"), ("lea", "|ea"), ("bob", "b0b"), ("max", "rnax"), ("uwe", "uvve")]
        {
            assert_eq!(looks(one), looks(other), "{one} {other}");
        }
        // Every other visible character, at every place.
        for mark in (b'!'..=b'~').map(char::from).filter(|c| !c.is_ascii_alphanumeric() && *c != '|') {
            for at in 0..=3 {
                let (head, tail) = "lea".split_at(at);
                assert_eq!(looks("lea"), looks(&format!("{head}{mark}{tail}")), "{mark} at {at}");
            }
        }
        let apart = ["lea", "leo", "ada", "bob", "max", "anna@example.com", "anna@example.org", "u1", "u2"];
        for (at, one) in apart.iter().enumerate() {
            assert!(apart[at + 1..].iter().all(|other| looks(one) != looks(other)), "{one}");
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
