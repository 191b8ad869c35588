//! What the words of a tool's name say: tables, no logic.
//!
//! The verbs are the product's rule and shown in its documents. The other tables decide what is *plainly* a noun;
//! a word that they do not know proves nothing.

/// Verbs that only look something up. A name with one of these may be a read; no other verb makes it one.
pub(crate) const READ: &[&str] = &[
    "get", "list", "fetch", "read", "search", "find", "lookup", "describe", "show", "view", "count",
    "retrieve", "browse", "is", "has",
];

/// Last words of names without a verb whose description says that they read: `users_search`, `order_history`.
pub(crate) const READ_ENDINGS: &[&str] = &["report", "list", "search", "history"];

/// Read verbs whose `query` is free text, unless its schema names a language.
pub(crate) const SEARCH: &[&str] = &["search", "find", "lookup"];

/// Read verbs that are nothing else, so that what stands before them is no verb.
pub(crate) const PLAIN_READS: &[&str] = &["get", "fetch", "find", "lookup", "describe", "retrieve"];

/// Words without a vowel that are verbs, written short.
pub(crate) const SHORT_VERBS: &[&str] = &[
    "clr", "cp", "crt", "dlt", "ln", "mk", "mv", "pst", "psh", "pwr", "rm", "rst", "rvt", "snd", "strt",
    "wr", "wrt",
];

/// How many words at most abbreviate the name of a product.
pub(crate) const ABBREVIATED_MAX: usize = 2;

/// Verbs of taking something, after which others do not have it.
pub(crate) const TAKES: &[&str] = &[
    "acquire", "bill", "claim", "collect", "credit", "debit", "hide", "lease", "pull", "receive", "reserve",
    "take",
];

/// Verbs that prove nothing by themselves: some tools that bear them change something.
pub(crate) const UNPROVEN: &[&str] = &[
    "verify",
    "check",
    "validate",
    "query",
    "convert",
    "compute",
    "calculate",
    "aggregate",
    "simulate",
    "estimate",
    "preview",
    "compare",
    "inspect",
    "filter",
    "forecast",
    "sum",
    "sync",
    "run",
    "send",
    "notify",
    "remind",
    "announce",
];

/// Of those, the ones that also name a thing: `get_check_status`, `list_forecasts`.
pub(crate) const UNPROVEN_NOUNS: &[&str] =
    &["check", "query", "estimate", "preview", "filter", "forecast", "sum", "aggregate", "sync", "run"];

/// First words of tools that tell somebody something.
pub(crate) const NOTIFY: &[&str] =
    &["notify", "send", "email", "message", "alert", "remind", "announce", "schedule"];

/// Words that make a tool a write wherever they stand.
pub(crate) const WRITE: &[&str] = &[
    "create",
    "update",
    "delete",
    "cancel",
    "approve",
    "reject",
    "deny",
    "submit",
    "post",
    "modify",
    "change",
    "set",
    "add",
    "remove",
    "revoke",
    "grant",
    "book",
    "place",
    "transfer",
    "pay",
    "charge",
    "refund",
    "issue",
    "close",
    "archive",
    "migrate",
    "deploy",
    "rollback",
    "terminate",
    "execute",
    "apply",
    "process",
    "dispatch",
    "trigger",
    "write",
    "insert",
    "upsert",
    "patch",
    "commit",
    "push",
    "publish",
    "mark",
    "match",
    "flag",
    "lock",
    "unlock",
    "escalate",
    "initiate",
    "finalize",
    "complete",
    "activate",
    "deactivate",
    "enable",
    "disable",
    "start",
    "stop",
    "pause",
    "resume",
    "resolve",
    "reopen",
    "merge",
    "split",
    "move",
    "assign",
    "unassign",
    "enroll",
    "provision",
    "deprovision",
    "promote",
    "demote",
    "reset",
    "rotate",
    "register",
    "deregister",
    "tag",
    "link",
    "import",
    "upload",
    "sign",
    "release",
    "freeze",
    "appoint",
    "document",
    "confirm",
    "authorize",
    "convert",
    "reissue",
    "print",
    "subscribe",
    "unsubscribe",
    "dequeue",
    "purge",
    "deallocate",
    "resize",
    "attach",
    "detach",
    "capture",
    "void",
    "redeem",
    "disburse",
    "remit",
];

/// Verbs that change something when they stand after `and`, `or` or `then`. Elsewhere most of them can be nouns
/// (`get_store_hours`, `list_sync_runs`).
pub(crate) const SECOND_VERBS: &[&str] = &[
    "clear", "drain", "drop", "exec", "flush", "kill", "persist", "put", "run", "save", "store", "swap",
    "sync",
];

/// Further verbs that are never nouns in such names. As first words they would be writes anyway; here they are
/// also seen after a read verb (`find_replace_text`, `get_purge_queue`).
pub(crate) const ALSO_WRITE: &[&str] = &[
    "replace",
    "edit",
    "rename",
    "erase",
    "wipe",
    "truncate",
    "overwrite",
    "suspend",
    "reinstate",
    "withdraw",
    "reboot",
    "restart",
    "kill",
    "ban",
    "reverse",
    "adjust",
    "settle",
    "drop",
    "destroy",
    "trash",
    "toggle",
    "install",
    "uninstall",
    "invoke",
    "fork",
    "invite",
    "checkout",
    "save",
    "download",
    "append",
    "power",
];

/// Verbs that are hardly ever the name of a thing. After a read verb they leave a doubt (`get_ack_alarm`).
pub(crate) const DOUBTS: &[&str] = &[
    "ack",
    "acknowledge",
    "allocate",
    "annul",
    "borrow",
    "burn",
    "buy",
    "consume",
    "decline",
    "decommission",
    "decrement",
    "deduct",
    "deliver",
    "dismiss",
    "donate",
    "drain",
    "enqueue",
    "evict",
    "exec",
    "expire",
    "flush",
    "forget",
    "generate",
    "impersonate",
    "increment",
    "ingest",
    "initialize",
    "inject",
    "instantiate",
    "invalidate",
    "kick",
    "launch",
    "lend",
    "mint",
    "mutate",
    "mute",
    "nuke",
    "offboard",
    "persist",
    "pop",
    "prune",
    "put",
    "reap",
    "rearrange",
    "rebuild",
    "recalculate",
    "reclaim",
    "refresh",
    "regenerate",
    "reindex",
    "reload",
    "remediate",
    "reorder",
    "restore",
    "retry",
    "revert",
    "sell",
    "silence",
    "snooze",
    "spawn",
    "suppress",
    "sweep",
    "swap",
    "throttle",
    "touch",
    "undo",
    "vacuum",
    "waive",
    "zap",
];

/// What turns a verb into another one that changes something: `unarchive`, `bulkupdate`, `reassign`.
pub(crate) const VERB_PREFIXES: &[&str] = &["un", "de", "dis", "re", "auto", "bulk", "mass"];

/// Words that only look as if they had such a prefix.
pub(crate) const NOT_PREFIXED: &[&str] =
    &["design", "remark", "remarks", "designs", "deposit", "record", "report"];

/// Read verbs that take nothing but an object: what follows them is a noun phrase.
/// `check`, `verify`, `find`, `read` and the like also stand before a second verb.
pub(crate) const GETTERS: &[&str] =
    &["get", "list", "fetch", "show", "view", "describe", "count", "retrieve"];

/// Write verbs that are just as well the name of a thing.
pub(crate) const NOUNS: &[&str] = &[
    "transfer",
    "charge",
    "refund",
    "issue",
    "release",
    "document",
    "grant",
    "register",
    "provision",
    "commit",
    "match",
    "patch",
    "rollback",
    "import",
    "upload",
    "dispatch",
    "trigger",
    "book",
    "flag",
    "pay",
];

/// Write verbs that name a thing too, but are mostly verbs: nouns only after a getter, or in the plural.
pub(crate) const RARE_NOUNS: &[&str] =
    &["update", "change", "post", "move", "tag", "link", "archive", "merge", "split", "process", "place"];

/// Write verbs that describe what follows (`start_date`) and are things only in the plural (`locks`).
pub(crate) const MODIFIERS: &[&str] =
    &["start", "stop", "close", "lock", "freeze", "reset", "pause", "push", "mark", "sign", "set"];

/// What a thing has: after a noun these show that it was one (`refund_status`).
pub(crate) const ATTRIBUTES: &[&str] = &[
    "status",
    "state",
    "history",
    "log",
    "detail",
    "info",
    "information",
    "id",
    "type",
    "kind",
    "name",
    "number",
    "date",
    "time",
    "timestamp",
    "count",
    "total",
    "amount",
    "rate",
    "price",
    "reason",
    "code",
    "list",
    "summary",
    "report",
    "metadata",
    "comment",
    "definition",
    "schema",
    "version",
    "limit",
    "policy",
    "rule",
    "line",
    "item",
    "entry",
    "result",
    "note",
    "queue",
    "instance",
    "event",
    "option",
    "period",
    "stub",
    "fee",
    "category",
    "diff",
    "statistics",
    "stats",
    "progress",
    "eligibility",
    "threshold",
    "deadline",
    "request",
];

/// What a verb acts on: after a word that may be a verb these show that it was one (`release_funds`).
pub(crate) const OBJECTS: &[&str] = &[
    "payment",
    "wire",
    "fund",
    "refund",
    "money",
    "cash",
    "card",
    "access",
    "credential",
    "account",
    "user",
    "customer",
    "client",
    "employee",
    "person",
    "member",
    "vendor",
    "supplier",
    "invoice",
    "bill",
    "salary",
    "wage",
    "ticket",
    "contract",
    "email",
    "password",
    "permission",
    "role",
    "file",
    "message",
    "record",
    "subscription",
    "claim",
    "expense",
    "loan",
    "credit",
    "budget",
];

/// Words that join two verbs.
pub(crate) const JOINTS: &[&str] = &["and", "or", "then", "else", "plus", "n"];

/// Words that end a noun phrase.
pub(crate) const PREPOSITIONS: &[&str] =
    &["to", "for", "from", "by", "with", "via", "at", "on", "in", "of", "about", "into", "as", "per", "when"];
