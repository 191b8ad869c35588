//! Every refusal of the process-file format: where it points, its code, and what it says.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "tests may unwrap, in their helpers too")]

use std::collections::BTreeSet;

use purple_process::file::{Problem, ProblemCode, load, load_bytes};

const GOOD: &str = include_str!("fixtures/pay_invoice.yaml");

/// One change that makes the good file wrong: what is replaced, by what, and the code that must come.
struct Slip {
    name: &'static str,
    from: &'static str,
    /// Where the problem must be reported is marked with `¦`, unless `place` says another.
    to: &'static str,
    code: ProblemCode,
    place: Option<&'static str>,
}

const fn slip(name: &'static str, from: &'static str, to: &'static str, code: ProblemCode) -> Slip {
    Slip { name, from, to, code, place: None }
}

/// A slip that is reported at another place: where this text stands first.
const fn elsewhere(
    name: &'static str,
    from: &'static str,
    to: &'static str,
    code: ProblemCode,
    place: &'static str,
) -> Slip {
    Slip { name, from, to, code, place: Some(place) }
}

impl Slip {
    fn text(&self) -> String {
        assert!(GOOD.contains(self.from), "{}: the good file does not hold {:?}", self.name, self.from);
        GOOD.replacen(self.from, &self.to.replace('¦', ""), 1)
    }

    /// Line and column at which the problem must be reported.
    fn at(&self) -> (u32, u32) {
        let marked = GOOD.replacen(self.from, self.to, 1);
        let offset = marked.find(self.place.unwrap_or("¦")).expect(self.name);
        let before = &marked[..offset];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let (line, column) = (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1);
        (u32::try_from(line).unwrap(), u32::try_from(column).unwrap())
    }
}

use ProblemCode as Code;

#[rustfmt::skip]
const SLIPS: &[Slip] = &[
    // How it is asked for.
    slip("a form with an open bracket", "once_per:", "say: {en: ¦'pay [invoice'}\nonce_per:", Code::BadForm),
    slip("a form in an unknown language", "once_per:", "say: {¦nl: 'betaal factuur'}\nonce_per:", Code::BadForm),
    slip("a format that does not exist", "once_per:", "format: ¦3\nonce_per:", Code::BadForm),
    elsewhere("a slot that is no input", "once_per:", "say: {en: 'pay {voucher}'}\nonce_per:", Code::BadForm, "process: pay_invoice"),
    elsewhere("format 2 without a form", "once_per:", "format: 2\nonce_per:", Code::BadForm, "process: pay_invoice"),
    // Identity.
    slip("an unknown key", "once_per:", "¦one_per:", Code::UnknownKey),
    slip("a misspelt key inside a rule", "ask: ap_lead", "¦aks: ap_lead", Code::UnknownKey),
    elsewhere("a process without an owner", "owner: accounts_payable\n", "", Code::MissingKey, "process: pay_invoice"),
    slip("a title without text", "title: Pay a supplier invoice", "title¦:", Code::WrongShape),
    slip("a list where a word belongs", "owner: accounts_payable", "owner: ¦[a, b]", Code::WrongShape),
    slip("a name with capitals", "process: pay_invoice", "process: ¦PayInvoice", Code::BadName),
    slip("a keyword twice", "[invoice, pay]", "[invoice, ¦Invoice]", Code::NameTaken),
    slip("a keyword without a letter", "[invoice, pay]", "[invoice, ¦'--']", Code::BadName),
    // YAML.
    slip("a key twice", "title: Pay", "¦process: other\ntitle: Pay", Code::DuplicateKey),
    slip("an anchor", "title: Pay a supplier invoice", "title: ¦&t Pay", Code::Anchor),
    slip("an alias", "title: Pay a supplier invoice", "title: ¦*t", Code::Anchor),
    slip("a tag", "title: Pay a supplier invoice", "title: ¦!!str Pay", Code::Tag),
    slip("a merge key", "title: Pay a supplier invoice", "¦<<: {title: Pay}", Code::MergeKey),
    slip("a second document", "tests:\n", "¦---\ntests:\n", Code::Documents),
    elsewhere("broken YAML", "[invoice, pay]", "[invoice, pay", Code::Syntax, ": [DECOMPOSE, ASSESS, CO"),
    slip("a key that is a list", "limits: {writes: 2,", "limits: {¦[writes]: 2,", Code::BadKey),
    slip("deep nesting", "[invoice, pay]", "[[[[[[[[[[[[[[[¦[[[invoice]]]]]]]]]]]]]]]]]]", Code::TooDeep),
    // Route and instructions.
    slip("a state that does not exist", "COMPUTE, POLICY_CHECK", "¦COMPUTER, POLICY_CHECK", Code::UnknownState),
    elsewhere("a route that writes unjudged", "COMPUTE, POLICY_CHECK, MUTATE", "COMPUTE, MUTATE", Code::UnlawfulRoute, "DECOMPOSE, ASSESS, COMPU"),
    elsewhere("a route in another order", "ASSESS, COMPUTE", "COMPUTE, ASSESS", Code::UnlawfulRoute, "DECOMPOSE, COMPUTE, ASSE"),
    elsewhere("a route that does not end", ", COMPLETE]", "]", Code::UnlawfulRoute, "DECOMPOSE, ASSESS, COMPU"),
    elsewhere("a route without MUTATE", "POLICY_CHECK, MUTATE, COMPLETE", "POLICY_CHECK, COMPLETE", Code::RouteTooShort, "DECOMPOSE, ASSESS, COMPU"),
    slip("text for a state that is not visited", "[DECOMPOSE, ASSESS, COMPUTE, POLICY_CHECK, MUTATE, COMPLETE]\ninstructions:\n", "[DECOMPOSE, ASSESS, POLICY_CHECK, MUTATE, COMPLETE]\ninstructions:\n  ¦COMPUTE: Think.\n", Code::IdleInstruction),
    // Inputs.
    slip("a type that does not exist", "type: money, near", "type: ¦monye, near", Code::UnknownType),
    slip("an input without a type", "{type: money, near: invoice}", "¦{near: invoice}", Code::MissingKey),
    elsewhere("an id without a pattern", ", pattern: 'INV-[0-9]+'", "", Code::BadInput, "id}"),
    slip("a pattern that does not compile", "'INV-[0-9]+'", "¦'INV-[0-9+'", Code::BadPattern),
    slip("a pattern that looks back", "'INV-[0-9]+'", "¦'(?<=x)INV'", Code::BadPattern),
    slip("a pattern that matches nothing", "'INV-[0-9]+'", "¦'[0-9]*'", Code::BadPattern),
    slip("a pattern that explodes", "'INV-[0-9]+'", "¦'(((a{1,100}){1,100}){1,100})'", Code::BadPattern),
    slip("a list without groups", "{type: money, near: invoice}", "{each: ¦'add [0-9]+'}", Code::BadPattern),
    slip("a list with a type", "{type: money, near: invoice}", "{type: ¦money, each: '(?P<n>[0-9]+)'}", Code::BadInput),
    slip("a field that is no group", "{type: money, near: invoice}", "{each: '(?P<count>[0-9]+)x', fields: {¦cuont: number}}", Code::BadInput),
    slip("a reserved name", "  stated_total: {", "  ¦today: {", Code::BadName),
    elsewhere("a name twice", "  stated_total: {type", "  invoice: {type", Code::NameTaken, "invoice: get_invoice(inv"),
    // Reads.
    slip("a write tool in read", "order: get_purchase_order(", "order: ¦create_purchase_order(", Code::NotARead),
    slip("a notification in read", "order: get_purchase_order(", "order: ¦send_order_confirmation(", Code::NotARead),
    slip("a read that is no call", "get_invoice(invoice_id=invoice_id)\n  order", "¦get_invoice\n  order", Code::BadCall),
    slip("a parameter without a name", "get_invoice(invoice_id=invoice_id)\n  order", "get_invoice(¦invoice_id)\n  order", Code::BadCall),
    slip("a call that a comma cuts", "      - call: flag_invoice(invoice_id=invoice_id)\n        as: flagged\n        check", "      - when: 'true'\n        check: {read: get_case¦(a=1, b=2), expect: {a: 1}}\n        call: flag_invoice(invoice_id=invoice_id)\n        undo: reopen_invoice(invoice_id=invoice_id)\n      - call: close_case(id=invoice_id)\n        check", Code::BadCall),
    slip("a parameter twice", "(po_id=invoice.po_id)", "(po_id=invoice.po_id, ¦po_id=invoice_id)", Code::BadCall),
    slip("a read that goes on", "(po_id=invoice.po_id)", "(po_id=invoice.po_id)¦.total", Code::BadCall),
    elsewhere("reads that need each other", "get_invoice(invoice_id=invoice_id)\n  order", "get_invoice(invoice_id=order.id)\n  order", Code::Cycle, "invoice: get_invoice(inv"),
    elsewhere("computations that need each other", "invoice.total - order.total\n", "invoice.total - percent\n", Code::Cycle, "variance: invoice.total "),
    slip("a repetition over no list", "get_invoice(invoice_id=invoice_id)\n  order", "{for_each: ¦stated_total as t, call: get_invoice(invoice_id=invoice_id)}\n  order", Code::Expression),
    // Computations.
    slip("a number in exponent form", "percent: 100 *", "percent: ¦1e2 *", Code::Exponent),
    slip("euros and dollars", "percent: 100 * variance / order.total", "percent: ¦5 EUR + 3 USD", Code::MixedCurrencies),
    slip("a rounding without a mode", "percent: 100 * variance / order.total", "percent: ¦round(variance, cents)", Code::RoundingWithoutMode),
    slip("a rounding with an unknown mode", "percent: 100 * variance / order.total", "percent: round(variance, cents, ¦sideways)", Code::RoundingWithoutMode),
    slip("a misspelt name", "100 * variance /", "100 * ¦varianse /", Code::UnknownName),
    slip("an expression that breaks off", "100 * variance / order.total", "100 * variance /¦", Code::Expression),
    // Rules.
    slip("a rule without an id", "{rule: P-2, if", "¦{if", Code::RuleWithoutId),
    slip("an id with spaces", "rule: P-2", "rule: ¦P 2", Code::BadName),
    slip("an id twice", "rule: P-2", "rule: ¦P-1", Code::NameTaken),
    elsewhere("nobody asked under a condition that always holds", "if: 'percent <= 2.0', outcome: pay", "if: 'percent <= 2.0 || true', outcome: pay", Code::UnconditionalAllow, "P-3, if: "),
    elsewhere("nobody asked without a condition", "if: 'percent <= 2.0', outcome: pay", "outcome: pay", Code::UnconditionalAllow, "P-3, outcome: pay, ask: "),
    elsewhere("a rule that says nothing", ", outcome: stop}", "}", Code::EmptyRule, "P-1, if: 'invoice.total "),
    elsewhere("a rule after one that always matches", "{rule: P-2, if: 'percent > 2.0', outcome: hold", "{rule: P-2, outcome: hold", Code::UnreachableRule, "'percent <= 2.0', outcom"),
    slip("a condition twice", "if: 'percent <= 2.0'", "if: ¦'percent  >  2.0'", Code::UnreachableRule),
    slip("a bound that is covered", "if: 'percent <= 2.0'", "if: ¦'percent > 3.0'", Code::UnreachableRule),
    slip("an outcome that does not exist", "outcome: hold", "outcome: ¦holt", Code::UnknownOutcome),
    elsewhere("an outcome that nobody reaches", "outcome: hold, ask: ap_lead", "outcome: escalate", Code::UnusedOutcome, "hold:"),
    slip("a role with capitals", "ask: ap_lead", "ask: ¦AP lead", Code::BadRole),
    slip("an end instead of a role", "then: controller", "then: ¦escalate", Code::BadRole),
    slip("a question where nothing is done", "outcome: stop}", "outcome: stop, ask: ¦ap_lead}", Code::NothingToAsk),
    elsewhere("people counted where nobody is asked", "ask: nobody", "ask: nobody, people: 2", Code::NothingToAsk, "P-3, if: 'percent <= 2.0"),
    slip("the requester asked and excluded", "ask: ap_lead", "ask: ¦requester", Code::AskedAndExcluded),
    slip("a declared field that is guarded", "decide:\n", "records: {vendor: {status: text}}\ndecide:\n  - {rule: P-0, if: ¦'exists(vendor.status) && vendor.status == \"closed\"', outcome: stop}\n", Code::Guarded),
    slip("a figure that is said twice", "decide:\n", "format: 2\nsay: {en: 'pay [invoice] {invoice_id}'}\ndecide:\n  - {rule: P-0, if: 'percent > 77', outcome: stop, because: ¦\"more than 77 percent\"}\n", Code::Repeated),
    slip("a condition that is an amount", "if: 'percent > 2.0'", "if: '¦stated_total'", Code::NotACondition),
    slip("too many people", "ask: ap_lead", "ask: ap_lead, people: ¦12", Code::BadNumber),
    // Outcomes.
    elsewhere("a do without check", "    check: get_invoice(invoice_id=invoice_id).status == \"paid\"\n", "", Code::Unchecked, "pay_invoice(invoice_id=i"),
    elsewhere("a step without check", "        check: get_invoice(invoice_id=invoice_id).status == \"held\"\n", "", Code::Unchecked, "flag_invoice(invoice_id="),
    elsewhere("nothing looks before or after", "check: get_invoice(invoice_id=invoice_id).status == \"paid\"", "check: none", Code::UnverifiedAlone, "nobody}"),
    slip("a tool that checks itself", "check: get_invoice(invoice_id=invoice_id).status == \"paid\"", "check: ¦pay_invoice(invoice_id=invoice_id).status == \"paid\"", Code::SelfCheck),
    slip("a check that writes", "check: get_invoice(invoice_id=invoice_id).status == \"paid\"", "check: ¦update_invoice(invoice_id=invoice_id).status == \"paid\"", Code::NotARead),
    slip("a check that compares nothing", "(invoice_id=invoice_id).status == \"paid\"", "(invoice_id=invoice_id)¦.status", Code::BadCheck),
    slip("a check without a field", "(invoice_id=invoice_id).status == \"paid\"", "(invoice_id=invoice_id)¦ == \"paid\"", Code::BadCheck),
    elsewhere("a check of two things at once", "status == \"paid\"", "status == \"paid\" && 1 == 1", Code::BadCheck, ".status == \"paid\" && 1 ="),
    slip("an amount that is no money", "    undo: cancel_payment(", "    amount: ¦invoice_id\n    undo: cancel_payment(", Code::Expression),
    slip("a read in do", "do: pay_invoice(", "do: ¦get_receipt(", Code::NotAWrite),
    slip("a read in undo", "undo: cancel_payment(", "undo: ¦get_payment(", Code::NotAWrite),
    slip("a write in tell", "tool: send_remittance_note", "tool: ¦send_payment", Code::NotANotice),
    slip("quiet hours that are none", "\"20:00-07:00\"", "¦\"at night\"", Code::BadQuietHours),
    slip("two recipients of one notice", "to: invoice.contact", "to: ¦[a, b]", Code::WrongShape),
    elsewhere("an outcome that does nothing", "    do:\n      - call: flag_invoice(invoice_id=invoice_id)\n        as: flagged\n        check: get_invoice(invoice_id=invoice_id).status == \"held\"\n", "    show: get_invoice(invoice_id=invoice_id)\n", Code::EmptyOutcome, "hold:"),
    slip("an outcome named as an end", "  hold:\n", "  ¦stop:\n", Code::BadName),
    slip("a step named like a read", "as: flagged", "as: ¦order", Code::NameTaken),
    slip("a step's result computed with", "      - call: flag_invoice(invoice_id=invoice_id)\n        as: flagged\n", "      - call: create_case(invoice_id=invoice_id)\n        as: case\n        check: get_case(invoice_id=invoice_id).status == \"open\"\n      - call: flag_invoice(invoice_id=invoice_id, note=¦concat(\"case \", case.id))\n", Code::BadReference),
    slip("a name for many results", "        as: flagged\n", "        as: ¦flagged\n        for_each: invoice.lines as line\n", Code::BadReference),
    // Approval and limits.
    slip("an edit of what is not computed", "people: 1}", "people: 1, edit: ¦percnt}", Code::UnknownName),
    slip("an edit that is named twice", "people: 1}", "people: 1, edit: [percent, ¦percent]}", Code::NameTaken),
    slip("an expiry that approves", "then: controller", "then: ¦approve", Code::ExpiryApproves),
    elsewhere("a wait without a length", "within: 2 business days, ", "", Code::MissingKey, "controller, people: 1}"),
    slip("a duration in letters", "within: 2 business days", "within: ¦2d", Code::BadDuration),
    slip("a limit with a fraction", "writes: 2,", "writes: ¦2.5,", Code::BadNumber),
    // Tests.
    slip("a test that fails", "expect: pay", "expect: ¦hold", Code::FailingTest),
    slip("a figure that differs", "percent: \"0\"", "percent: ¦\"1\"", Code::FailingTest),
    elsewhere("a test without expect", "expect: pay, ", "", Code::BadTest, "{invoice.total: \"10.00 U"),
    slip("a test for an outcome that does not exist", "expect: pay", "expect: ¦pays", Code::BadTest),
    slip("a fact that nobody uses", "{invoice.total:", "{¦invoise.total:", Code::UnknownName),
    slip("an amount that is none", "stated_total: \"10.00 USD\"", "stated_total: ¦ten", Code::BadTest),
    slip("a fact in exponent form", "order.total: \"10.00 USD\"", "order.total: ¦1e2", Code::Exponent),
];

/// Slips that need more than one change.
fn composed() -> Vec<(&'static str, String, ProblemCode)> {
    let swap = |from: &str, to: &str| {
        assert!(GOOD.contains(from), "{from}");
        GOOD.replacen(from, to, 1)
    };
    let unconfirmed_guard = swap("invoice.total != stated_total", "invoice.status != \"open\"");
    let tasks = "process: two\ntitle: Two\nowner: somebody\ntasks:\n  first: {title: One, keywords: [go, run]}\n  second: {title: Two, keywords: [Run, go]}\n";
    vec![
        (
            "an amount from the task that nobody compares",
            unconfirmed_guard.replacen("amount=invoice.total)", "amount=stated_total)", 1),
            Code::Unconfirmed,
        ),
        (
            "an amount computed from the task that nobody compares",
            unconfirmed_guard.replacen("amount=invoice.total)", "amount=rounded)", 1).replacen(
                "compute:\n",
                "compute:\n  rounded: round(stated_total, cents, half_even)\n",
                1,
            ),
            Code::Unconfirmed,
        ),
        (
            "an amount compared only together with something else",
            GOOD.replacen("invoice.total != stated_total", "invoice.total != stated_total && percent > 1", 1)
                .replacen("amount=invoice.total)", "amount=stated_total)", 1),
            Code::Unconfirmed,
        ),
        (
            "an amount compared only after it was paid",
            GOOD.replacen("outcome: stop}", "outcome: pay, ask: nobody}", 1).replacen(
                "amount=invoice.total)",
                "amount=stated_total)",
                1,
            ),
            Code::Unconfirmed,
        ),
        (
            "a payee from the task",
            swap("amount=invoice.total)", "amount=invoice.total, iban=stated_iban)").replacen(
                "inputs:\n",
                "inputs:\n  stated_iban: {type: text, pattern: 'DE[0-9]{20}'}\n",
                1,
            ),
            Code::Unconfirmed,
        ),
        (
            "a recipient from the task",
            swap("to: invoice.contact", "to: mail").replacen(
                "inputs:\n",
                "inputs:\n  mail: {type: text, pattern: '[a-z]+@[a-z.]+'}\n",
                1,
            ),
            Code::Unconfirmed,
        ),
        (
            "a list of amounts that nothing weighs",
            swap("amount=invoice.total)", "parts=parts)").replacen(
                "inputs:\n",
                "inputs:\n  parts: {each: '(?P<n>[0-9]+)x', fields: {n: number}}\n",
                1,
            ),
            Code::Unconfirmed,
        ),
        ("two tasks with the same keywords", tasks.to_owned(), Code::SameKeywords),
        ("slots beside tasks", format!("{tasks}compute: {{a: 1 + 1}}\n"), Code::SlotOutsideTask),
        (
            "check beside several calls",
            swap(
                "    do: pay_invoice(invoice_id=invoice_id, amount=invoice.total)\n",
                "    do:\n      - pay_invoice(invoice_id=invoice_id, amount=invoice.total)\n      - close_invoice(invoice_id=invoice_id)\n",
            ),
            Code::UnknownKey,
        ),
        (
            "an edit that no rule looks at",
            swap("  percent: 100 *", "  idle: 2 * order.total\n  percent: 100 *").replacen(
                "people: 1}",
                "people: 1, edit: idle}",
                1,
            ),
            Code::NotEditable,
        ),
        (
            "an edit whose rules look at what it was made of",
            swap("if: 'percent > 2.0'", "if: 'variance > 2.00 USD && percent > 2.0'").replacen(
                "people: 1}",
                "people: 1, edit: percent}",
                1,
            ),
            Code::NotEditable,
        ),
        (
            "an edit of the business key",
            swap("once_per: [invoice_id]", "once_per: [invoice_id, percent]").replacen(
                "people: 1}",
                "people: 1, edit: variance}",
                1,
            ),
            Code::NotEditable,
        ),
        (
            "an edit of what decides what is read",
            swap("  order: get_purchase_order(po_id=invoice.po_id)", "  order: get_purchase_order(po_id=po)")
                .replacen("  variance: invoice", "  po: invoice.po_id\n  variance: invoice", 1)
                .replacen("if: 'percent > 2.0'", "if: 'percent > 2.0 && po != \"\"'", 1)
                .replacen("people: 1}", "people: 1, edit: po}", 1),
            Code::NotEditable,
        ),
        (
            "too many entries",
            format!("{GOOD}  - {{expect: stop}}\n{}", "  - {expect: stop}\n".repeat(300)),
            Code::TooMany,
        ),
        (
            "tests that would take ages",
            swap(
                "  percent: 100 * variance",
                "  n: sum(order.rows, sum(order.rows, sum(order.rows, row)))\n  percent: 100 * variance",
            )
            .replacen(
                "expect: pay",
                &format!("order.rows: [{} 1], expect: pay", "1, ".repeat(300)),
                1,
            ),
            Code::CostlyTests,
        ),
        ("a file that is too large", format!("{GOOD}#{}\n", "x".repeat(256 * 1024)), Code::TooLarge),
        ("an empty file", String::new(), Code::Documents),
    ]
}

fn problems(text: &str) -> Vec<Problem> {
    match load(text) {
        Ok(_) => Vec::new(),
        Err(refused) => refused.problems().to_vec(),
    }
}

#[test]
fn the_good_file_is_accepted() {
    assert_eq!(problems(GOOD), []);
}

#[test]
fn every_slip_is_refused_where_it_stands() {
    let mut wrong = String::new();
    for slip in SLIPS.iter() {
        let found = problems(&slip.text());
        let (line, column) = slip.at();
        let hit = found.iter().any(|p| (p.code, p.at.line, p.at.column) == (slip.code, line, column));
        if !hit {
            let got: Vec<String> = found.iter().map(ToString::to_string).collect();
            wrong.push_str(&format!(
                "{} wants {}:{} {}\n{}\n\n",
                slip.name,
                line,
                column,
                slip.code,
                got.join("\n")
            ));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn every_composed_slip_is_refused() {
    for (name, text, code) in composed() {
        let found = problems(&text);
        assert!(found.iter().any(|problem| problem.code == code), "{name}: {found:#?}");
    }
}

#[test]
fn bytes_that_are_no_text_are_refused_at_their_line() {
    let mut bytes = GOOD.as_bytes().to_vec();
    let third_line = GOOD.find("owner").unwrap();
    bytes[third_line] = 0xFF;
    let refused = load_bytes(&bytes).unwrap_err();
    assert_eq!((refused.problems()[0].code, refused.problems()[0].at.line), (Code::NotUtf8, 3));
    load_bytes(GOOD.as_bytes()).unwrap();
}

#[test]
fn what_the_rules_judge_may_be_edited() {
    for field in ["percent", "variance", "[percent, variance]"] {
        let text = GOOD.replacen("people: 1}", &format!("people: 1, edit: {field}}}"), 1);
        assert_eq!(problems(&text), [], "{field}");
    }
}

#[test]
fn every_code_has_a_refusal() {
    let mut seen: BTreeSet<ProblemCode> = SLIPS.iter().map(|slip| slip.code).collect();
    seen.extend(composed().into_iter().map(|(_, _, code)| code));
    seen.insert(Code::NotUtf8);
    let missing: Vec<_> = Code::ALL.iter().filter(|code| !seen.contains(code)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn all_problems_of_a_file_are_told_at_once() {
    let text = GOOD
        .replacen("ask: ap_lead", "aks: ap_lead", 1)
        .replacen("percent: 100 *", "percent: 1e2 *", 1)
        .replacen("then: controller", "then: approved", 1)
        .replacen("\"20:00-07:00\"", "\"night\"", 1);
    let codes: Vec<ProblemCode> = problems(&text).iter().map(|problem| problem.code).collect();
    for code in [Code::UnknownKey, Code::Exponent, Code::ExpiryApproves, Code::BadQuietHours] {
        assert!(codes.contains(&code), "{code}: {codes:?}");
    }
}

#[test]
fn the_words_of_every_refusal() {
    let mut told = String::new();
    let single = SLIPS.iter().map(|slip| (slip.name, slip.text()));
    let composed = composed().into_iter().map(|(name, text, _)| (name, text));
    for (name, text) in single.chain(composed) {
        told.push_str(&format!("# {name}\n"));
        for problem in problems(&text) {
            told.push_str(&format!("{problem}\n"));
        }
        told.push('\n');
    }
    insta::assert_snapshot!(told);
}
