//! Finds requests to show or send what nobody may be shown: secrets of systems, and protected data of people.
//!
//! A noun that names a secret is asked for when a word of asking stands before it in its sentence, unless the words
//! between or after it make it something else: a password *reset*, a reminder *to rotate* an API key.

use std::sync::LazyLock;

use regex::Regex;

use crate::pattern::pattern;
use crate::refusal::PrivacyCode;

/// How many words before a noun are searched for a word of asking.
const WORDS_BEFORE_MAX: usize = 14;
/// How many words after a noun are searched for what becomes of it.
const WORDS_AFTER_MAX: usize = 7;

/// What the text asks for, if it asks for anything protected.
pub(crate) fn find(text: &str) -> Option<PrivacyCode> {
    SENTENCE_END.split(text).find_map(|sentence| {
        let sentence = Sentence::of(sentence);
        sentence.asked_for()
    })
}

static SENTENCE_END: LazyLock<Regex> = LazyLock::new(|| pattern(r"[.!?](?:\s|$)|[;\n]"));
static WORD: LazyLock<Regex> = LazyLock::new(|| pattern(r"[A-Za-z0-9]+(?:'[A-Za-z]+)?"));

/// The last words of what is protected, and the words that must stand before them; empty for none.
struct Noun {
    code: PrivacyCode,
    last: &'static [&'static str],
    before: &'static [&'static str],
}

const NOUNS: &[Noun] = &[
    Noun {
        code: PrivacyCode::SecretRequest,
        last: &[
            "password",
            "passwords",
            "passphrase",
            "passphrases",
            "passcode",
            "passcodes",
            "pwd",
            "credential",
            "credentials",
            "creds",
            "apikey",
            "apikeys",
            "secrets",
            "passwd",
        ],
        before: &[],
    },
    Noun {
        code: PrivacyCode::SecretRequest,
        last: &["key", "keys"],
        before: &[
            "api",
            "secret",
            "access",
            "private",
            "encryption",
            "signing",
            "ssh",
            "pgp",
            "gpg",
            "master",
        ],
    },
    Noun {
        code: PrivacyCode::SecretRequest,
        last: &["token", "tokens"],
        before: &["access", "auth", "bearer", "api", "session", "refresh", "oauth", "authentication"],
    },
    Noun {
        code: PrivacyCode::SecretRequest,
        last: &["secret"],
        before: &["client", "api", "webhook", "shared"],
    },
    Noun {
        code: PrivacyCode::SecretRequest,
        last: &["details", "info", "information", "data"],
        before: &["login", "logon", "signin"],
    },
    Noun { code: PrivacyCode::SecretRequest, last: &["code", "codes", "number"], before: &["pin"] },
    Noun { code: PrivacyCode::SecretRequest, last: &["string", "strings"], before: &["connection"] },
    Noun { code: PrivacyCode::Disclosure, last: &["ssn", "ssns", "cvv", "cvc", "cvv2"], before: &[] },
    Noun { code: PrivacyCode::Disclosure, last: &["security"], before: &["social"] },
    Noun {
        code: PrivacyCode::Disclosure,
        last: &["number", "numbers", "details", "info", "information", "data"],
        before: &["card", "cards"],
    },
    Noun { code: PrivacyCode::Disclosure, last: &["card", "cards"], before: &["credit", "debit"] },
    Noun {
        code: PrivacyCode::Disclosure,
        last: &[
            "record",
            "records",
            "history",
            "histories",
            "file",
            "files",
            "chart",
            "charts",
            "diagnosis",
            "diagnoses",
            "information",
            "data",
        ],
        before: &["medical", "health", "patient", "patient's", "clinical"],
    },
    Noun { code: PrivacyCode::Disclosure, last: &["diagnosis", "diagnoses"], before: &[] },
];

/// Words that tell to show or to send.
const SHOW: &[&str] = &[
    "send",
    "give",
    "tell",
    "show",
    "print",
    "display",
    "reveal",
    "disclose",
    "share",
    "forward",
    "list",
    "export",
    "dump",
    "output",
    "provide",
    "get",
    "fetch",
    "retrieve",
    "return",
    "expose",
    "leak",
    "extract",
    "find",
    "copy",
    "paste",
    "obtain",
    "pull",
    "recite",
    "repeat",
    "enumerate",
    "supply",
    "hand",
    "look",
    "lookup",
    "whisper",
    "publish",
    "upload",
    "attach",
    "include",
    "sending",
    "giving",
    "sharing",
    "showing",
    "write",
    "read",
    "spell",
    "decrypt",
    "translate",
    "encode",
    "transmit",
    "deliver",
    "report",
    "say",
    "append",
];
/// Words that tell so only where something stands between them and the noun: "the email password" is no request.
const SHOW_AT_A_DISTANCE: &[&str] = &["email", "mail", "text", "message", "post", "slack", "dm", "fax"];
const ASK: &[&str] = &["what", "what's", "whats", "which", "where", "where's"];
const NEED: &[&str] = &["need", "want", "have", "require", "know", "see", "like"];
const WHO_NEEDS: &[&str] = &["i", "we", "me", "us", "i'd", "you"];
const NEGATIONS: &[&str] =
    &["not", "never", "don't", "dont", "cannot", "can't", "won't", "mustn't", "shouldn't"];
const SENT: &[&str] = &[
    "sent",
    "emailed",
    "mailed",
    "texted",
    "shared",
    "forwarded",
    "printed",
    "shown",
    "given",
    "disclosed",
    "revealed",
    "provided",
];
/// The start of a word after the noun that makes it something else.
const CHANGES_THE_NOUN: &[&str] = &[
    "reset",
    "polic",
    "expir",
    "rotat",
    "chang",
    "requir",
    "manag",
    "rule",
    "ticket",
    "request",
    "issue",
    "field",
    "length",
    "servic",
    "verif",
    "audit",
    "review",
    "form",
    "link",
    "instruct",
    "remind",
    "notic",
    "notif",
    "usage",
    "count",
    "quota",
    "status",
    "updat",
    "valid",
    "check",
    "due",
    "older",
    "that",
    "which",
    "recover",
    "rotation",
    "strength",
    "complex",
    "screen",
    "page",
    "column",
    "store",
    "vault",
    "leak",
    "breach",
    "incident",
    "error",
    "mismatch",
    "mask",
    "redact",
    "retention",
    "release",
    "statement",
    "limit",
    "application",
    "ending",
    "administration",
    "office",
    "department",
    "benefit",
    "tax",
    "contribution",
    "offset",
    "card",
    "payment",
    "transaction",
    "processor",
    "fee",
    "charge",
    "spend",
    "program",
    "reconcil",
    "expense",
    "needed",
    "problem",
    "fail",
    "format",
    "revok",
    "revocation",
    "hygiene",
    "training",
    "guide",
    "document",
    "renew",
    "last",
    "protect",
    "lock",
    "access",
    "system",
    "unused",
    "expos",
    "compromis",
    "inactive",
    "setup",
    "amount",
    "balance",
    "report",
];
/// Words that follow the noun and make it something else only for protected data of people.
const REPORTS: &[&str] = &["report", "reports"];

const VERBS_OF_STATE: &[&str] = &[
    "must", "should", "is", "was", "are", "were", "has", "have", "had", "needs", "need", "will", "does",
    "did", "expired", "expires", "reset", "cannot", "can't", "not", "changed", "rotated", "locked",
];

static CHANGES_THE_ASKING: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?x)\b(?:to|and|then|must|should|of|for|who|by|please|after)\s
              (?:re)?-?(?:set|setting|reset|resetting|rotate|rotating|rotation|change|changing|update|updating|revoke|revoking|renew|replace|replacing|recover|disable|delete|remove|protect|handle|manage|store)\b
            | \b(?:about|regarding|concerning|whose|wrong|how|when|why|without)\b
            | \b(?:link|links|reminder|reminders|instructions|notice|policy|policies|status|process|procedure|reason|ticket|tickets|guide|training|count|risk|impact|cost|steps)\b
            | \b(?:weak|expired|expiring|leaked|compromised|stale|duplicate|unused|revoked|lost|stolen)\b
            | \b(?:by|reset|rotate|revoke|change|update|verify|validate|check|renew|replace|disable|has|have|had|forgot|forgotten|lost|create|issue|generate|provision|assign)$
            | \b(?:changed|rotated|forgot|forgotten|updated)\s(?:the|their|his|her|a|its|an)$",
    )
});

struct Sentence {
    words: Vec<String>,
}

impl Sentence {
    fn of(text: &str) -> Self {
        Self { words: WORD.find_iter(text).map(|word| word.as_str().to_ascii_lowercase()).collect() }
    }

    fn word(&self, at: usize) -> &str {
        self.words.get(at).map(String::as_str).unwrap_or_default()
    }

    fn asked_for(&self) -> Option<PrivacyCode> {
        (0..self.words.len()).find_map(|at| {
            let (code, first) = self.noun_at(at)?;
            let end = self.end_of_noun(at);
            if self.is_something_else(end) {
                return None;
            }
            let asked = self.asked_before(first) || self.sent_after(end) || self.is_bare_question(first, end);
            asked.then_some(code)
        })
    }

    /// The noun that ends at this word, and its first word.
    fn noun_at(&self, at: usize) -> Option<(PrivacyCode, usize)> {
        let last = self.word(at).trim_end_matches("'s");
        let noun = NOUNS.iter().find(|noun| {
            let qualified =
                || at.checked_sub(1).is_some_and(|before| noun.before.contains(&self.word(before)));
            noun.last.contains(&last) && (noun.before.is_empty() || qualified())
        })?;
        let first = if noun.before.is_empty() { at } else { at.saturating_sub(1) };
        // "Pay by credit card" names no card; "Jordan's credit card" does.
        let owner = first.checked_sub(1).map(|at| self.word(at)).unwrap_or_default();
        let owned =
            owner.ends_with("'s") || matches!(owner, "his" | "her" | "their" | "customer" | "customers");
        if matches!(last, "card" | "cards") && !owned {
            return None;
        }
        Some((noun.code, first))
    }

    /// The place after the noun: "social security number" and "credit card details" have a third word.
    fn end_of_noun(&self, at: usize) -> usize {
        let mut end = at.saturating_add(1);
        while matches!(
            self.word(end),
            "number" | "numbers" | "no" | "details" | "info" | "information" | "data"
        ) {
            end = end.saturating_add(1);
        }
        end
    }

    fn is_something_else(&self, end: usize) -> bool {
        let next = self.word(end);
        // "… access key that I asked for" is still the key.
        let clause = matches!(next, "that" | "which")
            && matches!(self.word(end.saturating_add(1)), "i" | "we" | "you");
        let to_be =
            matches!(next, "to" | "for" | "must" | "should" | "has" | "is" | "was" | "are" | "were" | "been");
        let then = self.word(end.saturating_add(1));
        let changed = |word: &str| {
            CHANGES_THE_NOUN.iter().any(|start| word.starts_with(start)) || REPORTS.contains(&word)
        };
        !clause && (changed(next) || (to_be && changed(then) && then != "access" && then != "system"))
    }

    fn asked_before(&self, first: usize) -> bool {
        let earliest = first.saturating_sub(WORDS_BEFORE_MAX);
        (earliest..first).any(|at| self.asks(at, first) && !self.gap_changes(at, first))
    }

    fn asks(&self, at: usize, first: usize) -> bool {
        let word = self.word(at);
        let before = |back: usize| at.checked_sub(back).map(|at| self.word(at)).unwrap_or_default();
        if SHOW.contains(&word) {
            return !NEGATIONS.contains(&before(1));
        }
        if SHOW_AT_A_DISTANCE.contains(&word) {
            let determined = !matches!(
                before(1),
                "the" | "a" | "an" | "by" | "via" | "to" | "her" | "his" | "their" | "of"
            );
            let imperative = determined || before(1) == "to";
            return first > at.saturating_add(1) && imperative && !NEGATIONS.contains(&before(1));
        }
        if ASK.contains(&word) {
            return true;
        }
        let needy = WHO_NEEDS.contains(&before(1)) || WHO_NEEDS.contains(&before(2));
        NEED.contains(&word) && needy && !NEGATIONS.contains(&before(1))
    }

    fn gap_changes(&self, asking: usize, first: usize) -> bool {
        let start = asking.saturating_add(1);
        // "the password policy and the admin password": what is said of the first noun says nothing of the second.
        let earlier = (start..first)
            .filter(|at| self.noun_at(*at).is_some())
            .map(|at| self.end_of_noun(at))
            .filter(|end| self.is_something_else(*end))
            .map(|end| end.saturating_add(1))
            .max();
        let start = earlier.map_or(start, |earlier| earlier.max(start));
        let gap = self.words.get(start..first).unwrap_or_default().join(" ");
        CHANGES_THE_ASKING.is_match(&gap)
    }

    /// "… must be sent to", "… and email it".
    fn sent_after(&self, end: usize) -> bool {
        let last = end.saturating_add(WORDS_AFTER_MAX).min(self.words.len());
        (end..last).any(|at| {
            let (word, next) = (self.word(at), self.word(at.saturating_add(1)));
            let passive = SENT.contains(&word)
                && (next == "to" || at.checked_sub(1).map(|at| self.word(at)) == Some("be"));
            let told = SHOW.contains(&word) || SHOW_AT_A_DISTANCE.contains(&word);
            passive || (told && (next == "it" || (next == "me" && self.word(at.saturating_add(2)) == "it")))
        })
    }

    /// "Password for the admin account", and nothing else.
    fn is_bare_question(&self, first: usize, end: usize) -> bool {
        if self.words.len() >= WORDS_BEFORE_MAX {
            return false;
        }
        let leading = self.words.get(..first).unwrap_or_default();
        let bare = leading.iter().all(|word| {
            matches!(word.as_str(), "the" | "please" | "and" | "hi" | "hello" | "admin" | "root")
        });
        // "… must be reset" says something of it instead of asking for it.
        let rest = self.words.get(end..).unwrap_or_default();
        let states = rest.iter().any(|word| VERBS_OF_STATE.contains(&word.as_str()));
        bare && !states && matches!(self.word(end), "for" | "of")
    }
}
