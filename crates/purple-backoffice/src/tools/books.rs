//! The books: transactions, bank statements, journal entries and the periods that are closed.

use rusqlite::types::Value as Cell;
use serde_json::{Value, json};

use crate::desk::{Change, Desk, words};
use crate::money::Money;
use crate::paging::{CURSOR, Filter, LIMIT, OFFSET, PAGE, Style, page};
use crate::parameter::{Arguments, Form, Parameter, may, needs};
use crate::record::{Record, money, text};
use crate::refusal::Refusal;
use crate::tool::{Hints, Keys, Tool};

static TRANSACTION: Record = Record::new(
    "transaction",
    ["transactions", "transaction_id"],
    &[
        text("transaction_id"),
        text("booked_on"),
        text("account"),
        text("counterparty"),
        money("amount", "amount_minor"),
        text("description"),
    ],
);

// The bank's own words for the same things.
static BANK_LINE: Record = Record::new(
    "bank line",
    ["bank_lines", "line_id"],
    &[
        text("line_id"),
        text("booked_on"),
        crate::record::text_as("details", "text"),
        money("value", "amount_minor"),
    ],
);

static PERIOD: Record = Record::new("period", ["periods", "period"], &[text("period"), text("status")]);

static ENTRY: Record = Record::new(
    "journal entry",
    ["journal_entries", "entry_id"],
    &[
        text("entry_id"),
        text("period"),
        text("debit_account"),
        text("credit_account"),
        money("amount", "amount_minor"),
        text("memo"),
        text("status"),
    ],
);

const MONTH: Parameter = needs("month", Form::Month, "the month, such as 2026-02");
const ENTRY_ID: Parameter = needs("entry_id", Form::Text, "id of the journal entry");

pub(super) const TOOLS: &[Tool] = &[
    Tool::read(
        "transaction",
        [
            "get_transactions",
            "Gets a month's transactions by cursor, fifty at a time unless `limit` says otherwise.",
        ],
        &[MONTH, may("account", Form::Text, "only of this account"), CURSOR, LIMIT],
        |desk, arguments| {
            let filter = Filter::default()
                .by("month", arguments.maybe_text("month"))
                .by("account", arguments.maybe_text("account"));
            page(desk, (&TRANSACTION, "transactions"), filter, arguments, Style::Cursor)
        },
    )
    .hints(Hints::ReadOnly),
    Tool::read(
        "bank_line",
        ["get_bank_statement", "Gets a month's bank statement (`page`, says `has_more`)."],
        &[MONTH, PAGE, LIMIT],
        |desk, arguments| {
            let filter = Filter::default().by("month", arguments.maybe_text("month"));
            page(desk, (&BANK_LINE, "lines"), filter, arguments, Style::HasMore)
        },
    )
    .hints(Hints::ReadOnly),
    Tool::read(
        "transaction",
        ["get_trial_balance", "Gets the sum of each account in a month."],
        &[MONTH],
        trial_balance,
    ),
    Tool::read(
        "period",
        ["get_period", "Says whether an accounting period is open."],
        &[needs("period", Form::Month, "the period, such as 2026-02")],
        |desk, arguments| Ok(Value::Object(desk.one(&PERIOD, arguments.text("period")?)?)),
    )
    .hints(Hints::ReadOnly)
    .answers(&PERIOD),
    Tool::effect(
        "period",
        ["close_period", "Closes an accounting period; nothing can be posted to it afterwards."],
        &[needs("period", Form::Month, "the period, such as 2026-02")],
        |desk, arguments| {
            desk.change(&PERIOD, arguments.text("period")?, &["open"], ("status", words("closed")), &[])
        },
    )
    .hints(Hints::Destructive),
    Tool::read(
        "journal_entry",
        ["list_journal_entries", "Lists journal entries (`offset`, `limit`)."],
        &[may("period", Form::Month, "only of this period"), OFFSET, LIMIT],
        |desk, arguments| {
            let filter = Filter::default().by("period", arguments.maybe_text("period"));
            page(desk, (&ENTRY, "entries"), filter, arguments, Style::Offset)
        },
    ),
    Tool::read(
        "journal_entry",
        ["get_journal_entry", "Gets one journal entry."],
        &[ENTRY_ID],
        |desk, arguments| Ok(Value::Object(desk.one(&ENTRY, arguments.text("entry_id")?)?)),
    )
    .hints(Hints::ReadOnly)
    .answers(&ENTRY),
    Tool::effect(
        "journal_entry",
        ["post_journal_entry", "Posts an entry with its two sides to an open period."],
        &[
            needs("period", Form::Month, "the period"),
            needs("debit_account", Form::Text, "account that is debited"),
            needs("credit_account", Form::Text, "account that is credited"),
            needs("amount", Form::Amount, "the amount"),
            needs("memo", Form::Text, "what it is for"),
        ],
        post,
    )
    .hints(Hints::Additive)
    .keys(Keys::Parameter)
    .answers(&ENTRY),
    Tool::effect(
        "journal_entry",
        ["reverse_journal_entry", "Marks a posted entry as reversed."],
        &[ENTRY_ID],
        |desk, arguments| {
            let id = arguments.text("entry_id")?;
            desk.change(&ENTRY, id, &["posted"], ("status", words("reversed")), &[])
        },
    ),
];

fn trial_balance(desk: &Desk<'_>, arguments: &Arguments<'_>) -> Result<Value, Refusal> {
    let mut statement = desk.db.prepare_cached(
        "SELECT account, currency, sum(amount_minor), count(*) FROM transactions WHERE month = ?1
         GROUP BY account, currency ORDER BY account, currency",
    )?;
    let mut rows = statement.query([arguments.text("month")?])?;
    let mut balances = Vec::new();
    while let Some(row) = rows.next()? {
        let (account, currency): (String, String) = (row.get(0)?, row.get(1)?);
        let (minor, count): (i64, i64) = (row.get(2)?, row.get(3)?);
        balances.push(
            json!({"account": account, "balance": Money::stored(minor, &currency), "transactions": count}),
        );
    }
    Ok(json!({"balances": balances}))
}

fn post(desk: &Desk<'_>, arguments: &Arguments<'_>) -> Result<Change, Refusal> {
    let period = arguments.text("period")?;
    let (debit, credit) = (arguments.text("debit_account")?, arguments.text("credit_account")?);
    let amount = arguments.money("amount")?;
    desk.require_status(&PERIOD, &desk.one(&PERIOD, period)?, &["open"])?;
    let rule = |because: &str| Refusal::Rule {
        noun: "journal entry",
        id: "new".to_owned(),
        because: because.to_owned(),
    };
    desk.require(debit != credit, || rule("both sides are the same account"))?;
    desk.require(amount.minor > 0, || rule("the amount must be above zero"))?;
    desk.create(
        &ENTRY,
        &desk.next_id("JE")?,
        ("amount_minor", Cell::Integer(amount.minor)),
        &[
            ("period", words(period)),
            ("debit_account", words(debit)),
            ("credit_account", words(credit)),
            ("currency", words(amount.currency)),
            ("memo", words(arguments.text("memo")?)),
            ("status", words("posted")),
        ],
    )
}
