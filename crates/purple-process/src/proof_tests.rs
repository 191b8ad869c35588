use super::*;
use crate::effect::Class;
use crate::evidence::{Declared, Offered, decide};
use crate::json::Json;
use crate::verbs::{ALSO_WRITE, DOUBTS, NOTIFY, SECOND_VERBS, WRITE};

/// Verbs of business that no table of the classifier has, written down apart from it.
const VERBS: &[&str] = &[
    "abandon",
    "abolish",
    "absorb",
    "abort",
    "accelerate",
    "accept",
    "accrue",
    "acquire",
    "admit",
    "alter",
    "amend",
    "anonymize",
    "apportion",
    "arm",
    "assume",
    "award",
    "banish",
    "bestow",
    "blacklist",
    "boost",
    "brick",
    "cede",
    "censor",
    "cleanse",
    "coerce",
    "collect",
    "combine",
    "compel",
    "compensate",
    "concede",
    "confer",
    "confiscate",
    "connect",
    "consolidate",
    "construct",
    "consume",
    "convene",
    "crash",
    "decouple",
    "deem",
    "defer",
    "defraud",
    "defrost",
    "delist",
    "demolish",
    "denounce",
    "deplete",
    "deploy",
    "depose",
    "derive",
    "discard",
    "discharge",
    "discontinue",
    "disown",
    "disrupt",
    "divert",
    "drain",
    "eject",
    "elevate",
    "empty",
    "encash",
    "encrypt",
    "endorse",
    "enforce",
    "engage",
    "enlist",
    "enqueue",
    "escheat",
    "evacuate",
    "evict",
    "exclude",
    "excuse",
    "exempt",
    "exile",
    "expel",
    "expunge",
    "extend",
    "extinguish",
    "facilitate",
    "falsify",
    "fasten",
    "finish",
    "fire",
    "fix",
    "forfeit",
    "forgive",
    "forward",
    "fulfill",
    "furlough",
    "garnish",
    "gather",
    "give",
    "halt",
    "harvest",
    "hide",
    "hire",
    "hoist",
    "honor",
    "ignite",
    "impeach",
    "impose",
    "incur",
    "inflate",
    "inject",
    "insure",
    "invest",
    "invoke",
    "isolate",
    "join",
    "lay",
    "leak",
    "lend",
    "lift",
    "liquidate",
    "lodge",
    "lower",
    "materialize",
    "melt",
    "mine",
    "modify",
    "mutate",
    "mute",
    "negotiate",
    "notarize",
    "nullify",
    "obliterate",
    "obtain",
    "onboard",
    "optimize",
    "oust",
    "overrule",
    "pardon",
    "pawn",
    "persist",
    "pledge",
    "prolong",
    "propagate",
    "prosecute",
    "provoke",
    "pull",
    "punish",
    "quarantine",
    "quit",
    "raise",
    "ratify",
    "reap",
    "rebalance",
    "recall",
    "reclaim",
    "recompute",
    "reconcile",
    "recruit",
    "redirect",
    "reduce",
    "reimage",
    "reimburse",
    "reinvest",
    "reject",
    "relinquish",
    "relocate",
    "remap",
    "remediate",
    "renew",
    "reorder",
    "repay",
    "replenish",
    "replicate",
    "repossess",
    "rescind",
    "resell",
    "reship",
    "resign",
    "retire",
    "retract",
    "retrain",
    "revive",
    "rewrite",
    "sabotage",
    "salvage",
    "scrap",
    "seize",
    "sell",
    "sever",
    "shred",
    "shrink",
    "shut",
    "siphon",
    "smelt",
    "solve",
    "spin",
    "squash",
    "steal",
    "stow",
    "strip",
    "subpoena",
    "sue",
    "summon",
    "surrender",
    "tear",
    "throttle",
    "throw",
    "torch",
    "transmit",
    "trim",
    "unfreeze",
    "unleash",
    "unmask",
    "unwind",
    "usurp",
    "vacate",
    "vest",
    "wager",
    "waive",
    "warp",
    "whitelist",
    "withhold",
    "zap",
    "zero",
];
const NOUNS: &[&str] =
    &["customer", "account", "order", "invoice", "stock", "contract", "employee", "ledger", "vm"];

fn class(name: &str, description: &str) -> (Class, String) {
    let schema = Json::parse(r#"{"properties":{"item_id":{"type":"string"}}}"#).unwrap();
    let offered = Offered { name, description, schema: &schema, vendor: &[] };
    let decided = decide(offered, Declared::NOTHING);
    (decided.class, decided.reason)
}

/// What is taken for a read, to be shown together.
#[derive(Default)]
struct Reads(Vec<String>);

impl Reads {
    fn add(&mut self, name: &str, description: &str) {
        if class(name, description).0 == Class::Read {
            self.0.push(format!("{name}: {description}"));
        }
    }

    #[track_caller]
    fn are_none(self) {
        assert!(
            self.0.is_empty(),
            "{} are reads: {:#?}",
            self.0.len(),
            self.0.iter().take(40).collect::<Vec<_>>()
        );
    }
}

/// Every verb of every table, every noun that is one too, and those of which no table knows.
fn verbs() -> Vec<&'static str> {
    let either = include_str!("vocabulary/also_verbs.txt").lines().filter(|line| !line.starts_with('#'));
    let tables = [WRITE, ALSO_WRITE, DOUBTS, SECOND_VERBS, NOTIFY, VERBS].concat();
    // These only look at something.
    let looks = [
        "aggregate",
        "check",
        "compare",
        "count",
        "display",
        "equal",
        "filter",
        "focus",
        "format",
        "group",
        "highlight",
        "list",
        "map",
        "match",
        "mean",
        "need",
        "preview",
        "query",
        "rank",
        "read",
        "return",
        "search",
        "span",
        "sum",
        "support",
        "view",
        "work",
    ];
    either.flat_map(str::split_whitespace).chain(tables).filter(|verb| !looks.contains(verb)).collect()
}

#[test]
fn a_verb_before_what_looks_like_a_read_is_no_read() {
    let mut reads = Reads::default();
    for (at, verb) in verbs().into_iter().enumerate() {
        for noun in [NOUNS[at % NOUNS.len()], NOUNS[at / 2 % NOUNS.len()]] {
            for ending in ["report", "list", "history", "search", "view", "count"] {
                let name = format!("{verb}_{noun}_{ending}");
                reads.add(&name, "");
                reads.add(&name, &format!("{verb}s the {noun} {ending}."));
            }
        }
    }
    reads.are_none();
}

#[test]
fn a_second_verb_behind_a_joint_is_no_read() {
    let mut reads = Reads::default();
    for (at, verb) in verbs().into_iter().enumerate() {
        for noun in [NOUNS[at % NOUNS.len()], NOUNS[at / 2 % NOUNS.len()]] {
            let read = GETTERS[at % GETTERS.len()];
            for joint in JOINTS {
                reads.add(&format!("{read}_{noun}_{joint}_{verb}"), "");
                reads.add(&format!("{read}_{noun}_{joint}_{verb}_{noun}"), "");
                reads.add(&format!("{read}_{joint}_{verb}_{noun}s"), "");
            }
            reads.add(&format!("{read}_{noun}s"), &format!("{read}s the {noun}s and {verb}s them."));
            reads.add(&format!("{read}_{noun}s"), &format!("{read} the {noun}s and {verb} the {noun}."));
        }
    }
    reads.are_none();
}

#[test]
fn a_verb_of_which_nothing_is_known_is_no_read_wherever_it_stands() {
    let mut reads = Reads::default();
    for (at, verb) in VERBS.iter().enumerate() {
        let noun = NOUNS[at % NOUNS.len()];
        for read in GETTERS {
            reads.add(&format!("{read}_{noun}"), &format!("{verb}s the {noun}."));
            if nouns::kind(verb) == Kind::Unknown {
                reads.add(&format!("{read}_{noun}s_{verb}"), "");
                reads.add(&format!("{read}_{verb}_{noun}"), "");
            }
        }
    }
    reads.are_none();
}

#[test]
fn to_get_something_done_is_no_read() {
    let mut reads = Reads::default();
    let done =
        "fired signed moved paid shipped blacklisted deleted sold sent frozen closed archived locked zapped";
    for done in done.split(' ') {
        for noun in NOUNS {
            for read in GETTERS {
                reads.add(&format!("{read}_{noun}_{done}"), "");
                reads.add(&format!("{read}_{noun}_{done}"), &format!("Gets the {noun} {done}."));
            }
        }
    }
    reads.are_none();
}

#[test]
fn to_list_one_thing_is_to_offer_it_unless_the_description_reads() {
    let mut reads = Reads::default();
    for noun in NOUNS {
        reads.add(&format!("list_{noun}"), "");
        reads.add(&format!("list_{noun}"), &format!("Lists the {noun} for sale"));
        reads.add(&format!("list_{noun}s_for_sale"), "");
        assert_eq!(class(&format!("list_{noun}s"), "").0, Class::Read, "{noun}");
        assert_eq!(class(&format!("list_{noun}"), &format!("Returns the {noun}s")).0, Class::Read, "{noun}");
    }
    reads.are_none();
}

#[test]
fn a_read_verb_in_another_sense_is_no_read() {
    let mut reads = Reads::default();
    reads.add("view_as_user", "");
    for (verb, particle) in
        [("read", "in"), ("get", "on"), ("fetch", "from"), ("show", "in"), ("find", "out")]
    {
        reads.add(&format!("{verb}_{particle}_account"), "");
    }
    for noun in NOUNS {
        reads.add(&format!("retrieve_{noun}"), &format!("Collects the {noun} by force."));
        reads.add(&format!("get_rid_of_{noun}"), "");
    }
    reads.are_none();
}

#[test]
fn ordinary_names_are_read() {
    let mut reads = Reads::default();
    for noun in NOUNS {
        for name in [
            "get_{}",
            "list_{}s",
            "find_{}_by_name",
            "get_{}_and_vendors",
            "search_open_{}s",
            "get_{}_status",
        ] {
            let name = name.replace("{}", noun);
            let (class, reason) = class(&name, "");
            assert_eq!(class, Class::Read, "{name}: {reason}");
        }
        let (found, reason) =
            class(&format!("{noun}_balance"), &format!("Returns the balance of the {noun}"));
        assert_eq!(found, Class::Read, "{noun}: {reason}");
        let (found, reason) = class("get_frobs", &format!("Gets the frobs of the {noun}"));
        assert_eq!(found, Class::Read, "{noun}: {reason}");
    }
    reads.add("get_frobs", "");
    reads.are_none();
}

#[test]
fn a_secret_is_not_read_without_a_review_and_no_trusted_hint_opens_it() {
    use crate::evidence::{Annotations, Trust};
    let schema = Json::parse("{}").unwrap();
    let annotations = Annotations { read_only: Some(true), destructive: Some(false) };
    let trusted = Declared { annotations, server: Trust::Trusted, ..Declared::NOTHING };
    for (name, description) in [
        ("get_env", ""),
        ("list_api_keys", ""),
        ("get_debug_info", "Returns all environment variables"),
        ("show_user_password", "Shows it"),
        ("read_secret", ""),
        ("account_credentials", "Returns the credentials of the account"),
    ] {
        for declared in [Declared::NOTHING, trusted] {
            let offered = Offered { name, description, schema: &schema, vendor: &[] };
            assert_eq!(decide(offered, declared).class, Class::Unclear, "{name}");
        }
    }
}

fn class_with(name: &str, description: &str, schema: &str) -> (Class, String) {
    let schema = Json::parse(schema).unwrap();
    let decided = decide(Offered { name, description, schema: &schema, vendor: &[] }, Declared::NOTHING);
    (decided.class, decided.reason)
}

#[test]
fn what_one_has_by_getting_it_is_read_only_where_a_parameter_names_it() {
    for had in ["lease", "loan", "refund", "reservation", "session", "approval"] {
        let by = |parameter: &str| format!(r#"{{"properties":{{"{parameter}":{{"type":"string"}}}}}}"#);
        let (class, _) = class_with(&format!("get_{had}"), "", &by("order_id"));
        assert_ne!(class, Class::Read, "{had}");
        let named = by(&format!("{had}_id"));
        let (class, reason) = class_with(&format!("get_{had}"), &format!("Returns the {had}."), &named);
        assert_eq!(class, Class::Read, "{had}: {reason}");
    }
}

#[test]
fn what_is_next_or_comes_out_of_a_queue_is_taken() {
    let mut reads = Reads::default();
    for noun in ["job", "ticket", "message", "invoice_number", "task"] {
        reads.add(&format!("get_next_{noun}"), &format!("Gets the next {noun}."));
        reads.add(&format!("fetch_{noun}"), "Fetches one message from the queue.");
    }
    reads.are_none();
    for (name, description) in [
        ("get_next_meeting", "Returns the next meeting with an account"),
        ("get_next_pay_date", ""),
        ("list_sales", "Lists all sales of a month"),
        ("list_queues", "Lists the queues of an account"),
        ("get_queue_length", "Returns the length of the queue"),
    ] {
        let (class, reason) = class(name, description);
        assert_eq!(class, Class::Read, "{name}: {reason}");
    }
}

#[test]
fn to_show_a_message_is_to_tell_somebody() {
    let mut reads = Reads::default();
    for told in ["message", "alert", "notification", "dialog"] {
        reads.add(&format!("show_{told}"), "");
        reads.add(&format!("show_customer_{told}"), &format!("Shows the {told}."));
    }
    reads.are_none();
}

#[test]
fn a_noun_that_is_a_verb_first_is_read_at_the_end_only_where_the_description_reads_it() {
    for (act, read) in [("reserve", false), ("return", false), ("upgrade", false), ("transfer", true)] {
        let name = format!("get_order_{act}");
        assert_ne!(class(&name, "").0, Class::Read, "{name}");
        if read {
            assert_eq!(class(&name, &format!("Gets the {act} of an order.")).0, Class::Read, "{name}");
        }
    }
}

#[test]
fn a_write_verb_is_a_thing_where_the_description_reads_it() {
    for (name, description) in [
        ("place_details", "Get details of a place"),
        ("refund_status", "Returns the status of a refund"),
        ("transfer_history", "Lists the history of transfers"),
        ("invoice_link", "Returns a link to an invoice"),
    ] {
        let (class, reason) = class(name, description);
        assert_eq!(class, Class::Read, "{name}: {reason}");
    }
    let mut reads = Reads::default();
    for (name, description) in [
        ("refund_status", ""),
        ("refund_account", "Returns the account"),
        ("customer_refund", "Returns a refund to the customer"),
        ("customer_payment", "Returns the payment to the customer"),
        ("update_status", "Sets the status"),
        ("close_report", "Returns the report of the close"),
        ("place_order", "Gets the order placed"),
        ("set_total", "Returns the total"),
    ] {
        reads.add(name, description);
    }
    reads.are_none();
}

#[test]
fn what_is_done_beside_a_read_is_seen() {
    let mut reads = Reads::default();
    for description in [
        "Returns the order, marking it as seen.",
        "Returns the order. The order is then locked for others.",
        "Returns the order, creates one if there is none.",
        "Gets the order while locking it.",
        "Returns the order, and the order is removed from the list.",
        "Gets the order (archives it afterwards).",
        "Returns the order. It is gone afterwards.",
    ] {
        reads.add("get_order", description);
    }
    reads.are_none();
    for description in [
        "Returns the orders that are archived.",
        "Returns the order, including the lines.",
        "Returns the order. Lines that were cancelled are not included.",
        "Returns the order, if it is open, with its lines.",
        "Returns the order, or an error if it was deleted.",
    ] {
        let (class, reason) = class("get_order", description);
        assert_eq!(class, Class::Read, "{description}: {reason}");
    }
}

#[test]
fn what_only_abbreviates_a_product_is_no_verb() {
    for name in ["sf_get_opportunity", "d365_get_sales_orders", "hr_get_employee"] {
        let (class, reason) = class(name, "");
        assert_eq!(class, Class::Read, "{name}: {reason}");
    }
    let mut reads = Reads::default();
    for name in
        ["rm_get_customer", "clr_list", "rst_get_account", "dlt_get_order", "mv_find_orders", "axe_get_order"]
    {
        reads.add(name, "");
    }
    reads.are_none();
}

#[test]
fn a_description_that_says_whether_or_gives_an_overview_reads() {
    for (name, description) in [
        ("get_period", "Says whether a period is open."),
        ("get_budget", "Says how much of a budget is left."),
        ("get_order", "Gives an overview of an order."),
        ("get_revenue", "Provides a summary of revenue by month."),
    ] {
        let (class, reason) = class(name, description);
        assert_eq!(class, Class::Read, "{name}: {reason}");
    }
    let mut reads = Reads::default();
    for description in [
        "Gives the customer a refund.",
        "Says hello to the customer.",
        "Provides access to an account.",
        "Gives a discount.",
    ] {
        reads.add("get_order", description);
    }
    reads.are_none();
}

#[test]
fn what_is_fetched_without_a_name_or_a_description_may_be_collected() {
    let mut reads = Reads::default();
    for name in ["fetch_payment", "get_bonus", "retrieve_deposit", "read_all_notifications", "count_vote"] {
        reads.add(name, "");
    }
    reads.are_none();
    let (class, reason) = class("get_payment", "Returns the payment of an order.");
    assert_eq!(class, Class::Read, "{reason}");
    let (class, reason) = class_with("get_payment", "", r#"{"properties":{"payment_id":{"type":"string"}}}"#);
    assert_eq!(class, Class::Read, "{reason}");
}
