//! What rules can demand, in order of strictness, and who can be asked.

use std::fmt;

use serde::{Serialize, Serializer};

/// What the rules say. The order is the meaning: the strictest wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// A rule permits it without a human.
    Allow,
    /// A human must approve it.
    RequireApproval,
    /// A human must take over.
    Escalate,
    /// It must not happen.
    Block,
}

/// Who is asked, from nearest to highest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// The line manager.
    Manager,
    /// Human resources.
    Hr,
    /// Finance.
    Finance,
    /// A committee.
    Committee,
    /// Legal.
    Legal,
    /// The chief financial officer.
    Cfo,
    /// The chief information security officer.
    Ciso,
}

/// Who stands behind a set of rules, and so what they can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Authority {
    /// The operator's policy: it may allow.
    Operator,
    /// A signed process file: it may allow.
    Process,
    /// Whoever sent the request: it can only restrict; its `allow` grants nothing.
    Request,
}

/// The verdict of several sources: the strictest. A source in which no rule fired takes no part.
///
/// `None` is not permission: the mode decides.
pub fn combine(verdicts: impl IntoIterator<Item = Option<Verdict>>) -> Option<Verdict> {
    verdicts.into_iter().flatten().max()
}

impl Verdict {
    /// Every verdict, from mildest to strictest.
    pub const ALL: [Self; 4] = [Self::Allow, Self::RequireApproval, Self::Escalate, Self::Block];

    /// The verdict as documents write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::RequireApproval => "require_approval",
            Self::Escalate => "escalate",
            Self::Block => "block",
        }
    }

    /// Reads a verdict as documents write it.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|verdict| verdict.as_str() == text)
    }
}

impl Level {
    /// Every level, from nearest to highest.
    pub const ALL: [Self; 7] =
        [Self::Manager, Self::Hr, Self::Finance, Self::Committee, Self::Legal, Self::Cfo, Self::Ciso];

    /// The level as documents write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Manager => "manager",
            Self::Hr => "hr",
            Self::Finance => "finance",
            Self::Committee => "committee",
            Self::Legal => "legal",
            Self::Cfo => "cfo",
            Self::Ciso => "ciso",
        }
    }

    /// Reads a level as documents write it.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.as_str() == text)
    }
}

impl Authority {
    /// Whether a rule of this authority can permit anything.
    pub fn may_allow(self) -> bool {
        match self {
            Self::Operator | Self::Process => true,
            Self::Request => false,
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

impl fmt::Display for Level {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

impl Serialize for Verdict {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl Serialize for Level {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_verdicts_is_their_strictness() {
        let words: Vec<&str> = Verdict::ALL.iter().map(|verdict| verdict.as_str()).collect();
        assert_eq!(words, ["allow", "require_approval", "escalate", "block"]);
        assert!(Verdict::ALL.is_sorted());
    }

    #[test]
    fn the_order_of_levels_is_the_one_of_the_design() {
        let words: Vec<&str> = Level::ALL.iter().map(|level| level.as_str()).collect();
        assert_eq!(words, ["manager", "hr", "finance", "committee", "legal", "cfo", "ciso"]);
        assert!(Level::ALL.is_sorted());
    }

    #[test]
    fn words_are_read_back_and_others_are_not() {
        assert!(Verdict::ALL.into_iter().all(|verdict| Verdict::parse(verdict.as_str()) == Some(verdict)));
        assert!(Level::ALL.into_iter().all(|level| Level::parse(&level.to_string()) == Some(level)));
        assert_eq!((Verdict::parse("deny"), Level::parse("CFO")), (None, None));
    }

    #[test]
    fn the_strictest_source_wins_and_a_silent_one_takes_no_part() {
        for a in Verdict::ALL {
            assert_eq!(combine([Some(a), None]), Some(a));
            for b in Verdict::ALL {
                assert_eq!(combine([Some(a), None, Some(b)]), Some(a.max(b)));
            }
        }
        assert_eq!(combine([None, None]), None);
        assert_eq!(combine([]), None);
    }

    #[test]
    fn only_a_request_cannot_allow() {
        assert!(Authority::Operator.may_allow() && Authority::Process.may_allow());
        assert!(!Authority::Request.may_allow());
    }
}
