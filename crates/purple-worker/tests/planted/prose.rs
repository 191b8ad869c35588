//! The same as business prose tells it: shares, changes, comparisons, lists in a sentence, rows of tables, short forms.

use purple_finance::{Exact, Rounding};

use super::words::{Sheet, clear};
use super::{Choices, claimed, plain};

/// How many forms there are.
pub(super) const FORMS: u64 = 24;

/// A statement in one of the forms, right or wrong.
pub(super) fn statement(choices: &mut Choices, is_planted: bool) -> String {
    let sheet = Sheet::new(choices, is_planted).of_money();
    match choices.below(FORMS) {
        form @ 0..6 => shares(choices, &sheet, form),
        form @ 6..12 => changes(choices, &sheet, form),
        form @ 12..18 => sums(choices, &sheet, form),
        form => tables(choices, sheet, form),
    }
}

/// A percentage with one decimal, right or wrong.
fn percent(choices: &mut Choices, sheet: &Sheet, fraction: &Exact) -> String {
    let points = fraction.times(&Exact::from(100)).unwrap();
    format!("{}%", plain(&claimed(choices, &points, 1, sheet.is_planted), 1, false))
}

fn shares(choices: &mut Choices, sheet: &Sheet, form: u64) -> String {
    let is = choices.pick(&["is", "=", "comes to", "works out to", "would be", "makes", "results in"]);
    let Sheet { a, count, .. } = sheet;
    let (amount, rate) = (sheet.m(a), sheet.percent());
    let share = sheet.share_of(a);
    match form {
        0 => {
            let joined = choices.pick(&[" ($)", ", i.e. $", ", which is $", ": $", " → $", " => $"]);
            format!("{rate} of {amount}{}", joined.replace('$', &sheet.claim(choices, &share)))
        }
        1 => format!("{} ({rate} of {amount})", sheet.claim(choices, &share)),
        2 => {
            let exact = a.plus(&share).unwrap();
            let plus = choices.pick(&["plus $ VAT", "plus VAT of $", "increased by $", "plus a $ surcharge"]);
            format!("{amount} {} {is} {}", plus.replace('$', &rate), sheet.claim(choices, &exact))
        }
        3 => {
            let of = choices.pick(&["of the", "of the invoice total of", "of its"]);
            format!("{rate} {of} {amount} {is} {}", sheet.claim(choices, &share))
        }
        4 => {
            // Far from what would be left, or from both together, which the words may mean too.
            let wrong = if sheet.is_planted { a.times(&Exact::from(7)).unwrap() } else { share };
            let on = choices.pick(&["VAT on", "discount on", "credit on", "on"]);
            format!(
                "{rate} {on} {amount} {is} {}",
                sheet.m(&wrong.rounded(sheet.style.places, Rounding::HalfEven))
            )
        }
        _ => {
            let whole = clear(count.plus(&Exact::from(10)).unwrap());
            let part = Exact::from(i64::try_from(choices.below(10) + 1).unwrap());
            let share = percent(choices, sheet, &part.over(&whole).unwrap());
            match choices.below(3) {
                0 => format!("{part} of {whole} ({share})"),
                1 => format!("{part} out of {whole} is {share}"),
                _ => format!("{part} of {whole} invoices ({share})"),
            }
        }
    }
}

fn changes(choices: &mut Choices, sheet: &Sheet, form: u64) -> String {
    let high = sheet.high.plus(&Exact::ONE).unwrap();
    let difference = high.minus(&sheet.low).unwrap();
    let (from, to) = (sheet.m(&sheet.low), sheet.m(&high));
    let rise = difference.over(&sheet.low).unwrap();
    let fall = difference.over(&high).unwrap();
    match form {
        6 => {
            let words = choices.pick(&["an increase of $", "up $", "a $ increase", "a rise of $"]);
            let share = percent(choices, sheet, &rise);
            format!("revenue rose from {from} to {to}, {}", words.replace('$', &share))
        }
        7 => format!("costs went from {from} to {to} (+{})", percent(choices, sheet, &rise)),
        8 => {
            let words = choices.pick(&["a decrease of $", "down $", "a saving of $", "a drop of $"]);
            let claim = sheet.claim(choices, &difference);
            format!("costs fell from {to} to {from}, {}", words.replace('$', &claim))
        }
        9 => format!("costs fell by {} from {to} to {from}", percent(choices, sheet, &fall)),
        10 => {
            let claim = sheet.claim(choices, &difference);
            match choices.below(3) {
                0 => format!("{to} is {claim} more than {from}"),
                1 => format!("{to} exceeds {from} by {claim}"),
                _ => format!("{from} is {claim} below {to}"),
            }
        }
        _ => format!("{to} is {} above {from}", percent(choices, sheet, &rise)),
    }
}

fn sums(choices: &mut Choices, sheet: &Sheet, form: u64) -> String {
    let Sheet { a, b, c, high, low, count, .. } = sheet;
    let m = |number: &Exact| sheet.m(number);
    let sum = sheet.sum();
    let come = choices.pick(&["add up to", "come to", "total", "sum to", "make"]);
    match form {
        12 => format!("{}, {} and {} {come} {}", m(a), m(b), m(c), sheet.claim(choices, &sum)),
        13 => {
            let claim = sheet.claim(choices, &sum);
            match choices.below(4) {
                0 => format!("hosting {}, support {} and travel {} {come} {claim}", m(a), m(b), m(c)),
                1 => format!("hosting ({}), support ({}) and travel ({}) {come} {claim}", m(a), m(b), m(c)),
                2 => format!(
                    "hosting costs {}, travel {} and support {}, for a total of {claim}",
                    m(a),
                    m(b),
                    m(c)
                ),
                _ => format!(
                    "{} for hosting, {} for travel and {} for support, {claim} in total",
                    m(a),
                    m(b),
                    m(c)
                ),
            }
        }
        14 => {
            let claim = sheet.claim(choices, &count.times(a).unwrap());
            let each = choices.pick(&["each ", ""]);
            format!("{count} payments of {} {each}{come} {claim}", m(a))
        }
        15 => {
            let claim = sheet.claim(choices, &high.minus(low).unwrap());
            let less = choices.pick(&["less the $ credit", "net of $", "less a $ deposit", "minus $"]);
            format!("{} {} is {claim}", m(high), less.replace('$', &m(low)))
        }
        16 => {
            let months = clear(count.clone());
            let claim = sheet.claim(choices, &a.over(&months).unwrap());
            format!("{} over {months} months is {claim} per month", m(a))
        }
        _ => {
            // Tenths of millions and thousands.
            let [one, other] =
                [(); 2].map(|()| Exact::from(i64::try_from(choices.below(9_000) + 10).unwrap()));
            let (sign, suffix) = (choices.pick(&["$", "€", "USD "]), choices.pick(&["M", "k", "K", "m"]));
            let tenth = |number: &Exact| plain(&number.over(&Exact::from(10)).unwrap(), 1, true);
            let sum = claimed(choices, &one.plus(&other).unwrap(), 0, sheet.is_planted);
            let [one, other, sum] =
                [one, other, sum].map(|number| format!("{sign}{}{suffix}", tenth(&number)));
            format!("{one} + {other} = {sum}")
        }
    }
}

fn tables(choices: &mut Choices, sheet: Sheet, form: u64) -> String {
    let Sheet { a, b, c, high, low, count, .. } = &sheet;
    let m = |number: &Exact| sheet.m(number);
    match form {
        18 => {
            let claim = sheet.claim(choices, &count.times(a).unwrap());
            let heads = choices.pick(&[
                "Qty | Unit price | Amount",
                "Hours | Rate | Total",
                "Quantity | Price | Line total",
            ]);
            format!("| Item | {heads} |\n|---|---:|---:|---:|\n| a | {count} | {} | {claim} |", m(a))
        }
        19 => {
            let claim = sheet.claim(choices, &a.plus(b).unwrap());
            format!("| Item | Net | VAT | Gross |\n|---|---|---|---|\n| a | {} | {} | {claim} |", m(a), m(b))
        }
        20 => {
            let exact = high.plus(c).unwrap().minus(low).unwrap();
            let less = choices.pick(&["($)", "-$", "−$"]).replace('$', &m(low));
            format!(
                "| Item | Amount |\n|---|---|\n| a | {} |\n| b | {} |\n| credit note | {less} |\n| Total | {} |",
                m(high),
                m(c),
                sheet.claim(choices, &exact)
            )
        }
        21 => {
            let claim = sheet.claim(choices, &sheet.sum());
            format!("Item | Amount\n---|---\na | {}\nb | {}\nc | {}\nTotal | {claim}", m(a), m(b), m(c))
        }
        22 => {
            let claim = sheet.claim(choices, &a.plus(b).unwrap());
            let gross = choices.pick(&["Gross", "Total", "Gross amount"]);
            format!("Net: {}\nVAT: {}\n{gross}: {claim}", m(a), m(b))
        }
        _ => {
            let (open, close) = [(" – ", ""), (" — ", ""), (" (", ")"), (" = ", "")]
                [usize::try_from(choices.below(4)).unwrap()];
            let line = |name: &str, amount: &str| format!("- {name}{open}{amount}{close}");
            let lines = [line("Hosting", &m(a)), line("Support", &m(b)), line("Travel", &m(c))].join("\n");
            format!("{lines}\n{}", line("Total", &sheet.claim(choices, &sheet.sum())))
        }
    }
}
