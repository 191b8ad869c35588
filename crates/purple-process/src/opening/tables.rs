//! The words of descriptions: tables, no logic.

/// Words before the verb of a first sentence.
pub(crate) const LEADS: &[&str] = &[
    "this",
    "tool",
    "it",
    "also",
    "will",
    "can",
    "optionally",
    "automatically",
    "function",
    "endpoint",
    "method",
    "operation",
    "command",
    "to",
    "lets",
    "let",
    "you",
    "users",
    "agents",
    "me",
    "us",
    "allows",
    "allow",
    "helps",
    "help",
    "enables",
    "enable",
    "used",
    "api",
    "mcp",
    "deprecated",
    "beta",
    "experimental",
    "please",
];
/// Verbs of descriptions that read or calculate.
pub(crate) const READS: &[&str] = &[
    "get",
    "list",
    "fetch",
    "read",
    "search",
    "find",
    "look",
    "lookup",
    "describe",
    "show",
    "view",
    "count",
    "retrieve",
    "return",
    "display",
    "query",
    "browse",
    "check",
    "inspect",
    "see",
    "explain",
    "summarize",
    "summarise",
    "analyze",
    "analyse",
    "compare",
    "compute",
    "calculate",
    "tell",
    "identify",
    "determine",
    "discover",
    "locate",
    "detect",
    "verify",
    "validate",
    "preview",
    "examine",
    "enumerate",
    "extract",
    "sum",
];
/// Verbs that read where information is their object.
pub(crate) const GIVERS: &[&str] = &["give", "provide"];
pub(crate) const INFORMATION: &[&str] = &[
    "answer",
    "balance",
    "breakdown",
    "count",
    "data",
    "detail",
    "figure",
    "history",
    "information",
    "info",
    "insight",
    "list",
    "overview",
    "report",
    "statistics",
    "status",
    "summary",
    "total",
    "view",
];
/// To whom something is returned that was not only asked for.
pub(crate) const PARTIES: &[&str] = &[
    "account",
    "bank",
    "borrower",
    "buyer",
    "cardholder",
    "client",
    "customer",
    "draft",
    "employee",
    "inventory",
    "lender",
    "merchant",
    "owner",
    "payee",
    "payer",
    "pool",
    "queue",
    "seller",
    "sender",
    "shelf",
    "stock",
    "supplier",
    "vendor",
    "warehouse",
];
/// Those of the verbs that take what they read out of a queue.
pub(crate) const TAKES: &[&str] = &["get", "fetch", "retrieve", "read", "return"];
/// What is taken out of a queue.
pub(crate) const QUEUED: &[&str] =
    &["entry", "item", "job", "message", "next", "one", "record", "task", "ticket"];
/// Where something is offered by being listed.
pub(crate) const MARKETS: &[&str] = &["auction", "exchange", "market", "marketplace", "storefront"];
/// Those of them whose object is in the answer.
pub(crate) const GIVES: &[&str] =
    &["get", "list", "fetch", "read", "show", "view", "retrieve", "return", "display"];
/// What makes another verb of them.
pub(crate) const PHRASAL: &[&str] = &["in", "out", "rid", "off", "after", "back", "away", "down", "over"];
/// Words by which a description says that what is read is gone then: `can be read once only`.
pub(crate) const USED_UP: &[&str] =
    &["once only", "only once", "one time only", "one-time", "single use", "single-use"];
/// People and groups that a tool may get something for, in addition to `PARTIES`.
pub(crate) const TAKERS: &[&str] =
    &["user", "patient", "guest", "driver", "tenant", "student", "renter", "member", "team", "visitor"];
pub(crate) const QUESTIONS: &[&str] =
    &["whether", "who", "what", "which", "how", "where", "when", "if", "why"];
/// Verbs whose object says what is done.
pub(crate) const PERFORMS: &[&str] = &["perform", "run", "do", "conduct", "make", "execute", "issue"];
pub(crate) const SEARCHES: &[&str] = &["search", "lookup", "query", "research", "select", "read", "sql"];
/// Verbs of later sentences and second verbs, which change nothing.
pub(crate) const HARMLESS: &[&str] = &[
    "allow",
    "be",
    "can",
    "contain",
    "do",
    "equal",
    "expect",
    "filter",
    "focus",
    "format",
    "group",
    "handle",
    "has",
    "have",
    "highlight",
    "ignore",
    "include",
    "is",
    "let",
    "map",
    "match",
    "mean",
    "need",
    "normalize",
    "omit",
    "paginate",
    "parse",
    "prefer",
    "prevent",
    "provide",
    "rank",
    "render",
    "represent",
    "require",
    "respect",
    "scan",
    "select",
    "sort",
    "span",
    "specify",
    "suggest",
    "support",
    "use",
    "work",
    "aggregate",
    "assess",
    "understand",
    "learn",
    "are",
    "does",
    "should",
    "must",
    "may",
    "will",
    "returning",
    "including",
    "using",
];
pub(crate) const JOINTS: &[&str] = &["and", "or", "then", "plus"];
pub(crate) const ADVERBS: &[&str] =
    &["also", "then", "optionally", "immediately", "automatically", "finally", "not"];
pub(crate) const DETERMINERS: &[&str] = &[
    "a", "an", "the", "all", "any", "every", "each", "some", "one", "two", "your", "their", "its", "his",
    "her", "my", "both", "other", "no",
];
/// Words that follow a verb and begin its object.
pub(crate) const OBJECTS_FOLLOW: &[&str] = &[
    "a",
    "an",
    "the",
    "it",
    "them",
    "its",
    "their",
    "this",
    "that",
    "these",
    "those",
    "each",
    "every",
    "all",
    "any",
    "your",
    "his",
    "her",
    "what",
    "whatever",
    "everything",
    "him",
];
/// Words that end an object.
pub(crate) const ENDS_OBJECT: &[&str] = &[
    "about", "across", "after", "against", "as", "at", "based", "before", "between", "by", "during", "for",
    "from", "given", "in", "into", "matching", "near", "of", "on", "over", "per", "since", "through", "to",
    "under", "until", "using", "via", "when", "where", "which", "who", "with", "within", "without",
];
