//! The schedule of a loan that is paid back in equal monthly payments.

use num_bigint::BigInt;
use num_traits::{ToPrimitive, Zero};

use super::error::{FormulaError, above_zero, at_most, not_below_zero};
use crate::catalogue::{Answer, Asked, AskedResult, Counted, Function, Kind, Parameter, Per};
use crate::exact::Exact;
use crate::figure::{Figure, Line};
use crate::money::{Money, MoneyError};
use crate::rate::Rate;
use crate::rounding::Rounding;

/// The longest schedule: a hundred years.
pub const LOAN_MONTHS_MAX: u32 = 1200;

/// A loan and all its payments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loan {
    /// The regular monthly payment; only the last one may differ.
    pub payment: Money,
    /// Every payment, in order.
    pub instalments: Vec<Instalment>,
    /// The sum of all interest.
    pub total_interest: Money,
    /// The sum of all payments.
    pub total_paid: Money,
    /// The computation.
    pub lines: Vec<Line>,
}

/// One payment of a loan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instalment {
    /// Which month, from one.
    pub month: u32,
    /// What is paid.
    pub payment: Money,
    /// What of it is interest.
    pub interest: Money,
    /// What of it pays the loan back.
    pub principal: Money,
    /// What is still owed afterwards.
    pub balance: Money,
}

/// The full schedule of a loan at an annual rate, paid monthly at the end of each month.
///
/// The payment is the exact annuity, rounded once; interest of a month is the balance times a twelfth of the rate,
/// rounded; the last payment takes what remains, so that the principal parts sum to the principal.
///
/// # Errors
///
/// A principal of zero or less, a negative rate, no months or more than [`LOAN_MONTHS_MAX`].
pub fn amortize_loan(
    principal: Money,
    rate: &Rate,
    months: u32,
    rounding: Rounding,
) -> Result<Loan, FormulaError> {
    above_zero("principal", &principal)?;
    not_below_zero("rate", rate)?;
    above_zero("months", &months)?;
    at_most("months", &months, &LOAN_MONTHS_MAX)?;
    let payment = annuity(principal, rate, months, rounding)?;
    let monthly = rate.as_fraction().over(&Exact::from(12))?;
    let mut balance = principal;
    let mut instalments = Vec::with_capacity(months as usize);
    for month in 1..=months {
        let interest = balance.times(&monthly, rounding)?;
        // INVARIANT: rounding never reverses an order and the balance never grows, so interest ≤ payment.
        let regular = payment.minus(&interest)?;
        let pays_off = month == months || regular.compare(&balance)?.is_gt();
        let back = if pays_off { balance } else { regular };
        balance = balance.minus(&back)?;
        instalments.push(Instalment {
            month,
            payment: interest.plus(&back)?,
            interest,
            principal: back,
            balance,
        });
    }
    let currency = principal.currency();
    let total_interest = Money::sum(currency, instalments.iter().map(|part| part.interest))?;
    let total_paid = principal.plus(&total_interest)?;
    let lines = vec![
        Line::new(
            "monthly payment",
            format!("annuity of {principal} at {rate} a year in {months} months"),
            payment,
        ),
        Line::new("total interest", format!("interest of {months} months"), total_interest),
        Line::new("total paid", format!("{principal} + {total_interest}"), total_paid),
    ];
    Ok(Loan { payment, instalments, total_interest, total_paid, lines })
}

/// The annuity `P × i × (1 + i)^n / ((1 + i)^n − 1)` with `i = rate / 12`, in integers of any size.
fn annuity(principal: Money, rate: &Rate, months: u32, rounding: Rounding) -> Result<Money, FormulaError> {
    let yearly = rate.as_fraction().to_rational();
    let minor = BigInt::from(principal.minor());
    // i = yearly / base, so 1 + i = (base + yearly) / base.
    let base: BigInt = yearly.denom() * 12;
    let (dividend, divisor) = if yearly.numer().is_zero() {
        (minor, BigInt::from(months))
    } else {
        let grown = (&base + yearly.numer()).pow(months);
        let divisor = (&grown - base.pow(months)) * &base;
        (minor * yearly.numer() * grown, divisor)
    };
    let payment = rounding.divide_big(&dividend, &divisor).to_i128();
    let currency = principal.currency();
    Ok(Money::from_minor(payment.ok_or(MoneyError::TooLarge { currency })?, currency))
}

pub(super) const ENTRY: Function = Function {
    name: "amortize_loan",
    example: Some("What is the monthly payment on a loan of 12,000.00 USD at 6% a year for 1 year?"),
    summary: "The full payment schedule of a loan with equal monthly payments.",
    words: &[
        "finanzierung",
        "ratenzahlung",
        "baufinanzierung",
        "annuitätendarlehen",
        "tilgungsplan",
        "tilgung",
        "credit of",
        "ratenkredit",
        "emprunt",
        "hipoteca",
        "crédito",
        "préstamos",
        "financing",
        "loan",
        "amortize",
        "amortization",
        "mortgage",
        "repayment schedule",
        "borrow",
        "borrows",
        "borrowing",
        "borrowed",
        "lend",
        "instalments",
        "installments",
        "kredit",
        "darlehen",
        "annuität",
        "hypothek",
        "prêt",
        "préstamo",
    ],
    parameters: &[
        Parameter::required("principal", Kind::Money, "the amount of the loan"),
        Parameter::required("rate", Kind::Percent, "the nominal rate of a year").per(&[Per::Year]),
        Parameter::required("months", Kind::Whole, "how many monthly payments there are")
            .counts(Counted::Months)
            .near(&[
                "equal monthly instalments",
                "monthly instalments",
                "equal monthly installments",
                "monthly installments",
                "monthly payments",
                "equal monthly payments",
                "monatsraten",
                "monatlichen raten",
            ]),
        Parameter::ROUNDING,
    ],
    answer: "payment",
    asked: Asked {
        // A loan has several figures, and those of a year are none of them.
        must_name: true,
        results: &[
            AskedResult::new(
                "payment",
                "",
                &[
                    "monthly",
                    "?mensualité",
                    "?cuota",
                    "?monatliche rate",
                    "?mensualidad",
                    "mensualidad",
                    "?rate pro monat",
                    "?monatsrate",
                    "monthly payment",
                    "monthly payments",
                    "monthly instalment",
                    "monthly instalments",
                    "monthly installment",
                    "monthly installments",
                    "?payment",
                    "?payments",
                    "pay each month",
                    "pay per month",
                    "pay a month",
                    "pay every month",
                    "a month",
                    "each month",
                    "per month",
                    "?instalment",
                    "?installment",
                    "?rate",
                    "?annuität",
                    "?kreditrate",
                    "monthly repayment",
                    "monthly rate",
                    "monatliche rate",
                    "monatsrate",
                    "monatlich",
                    "pro monat",
                    "im monat",
                    "mensualité",
                    "mensualités",
                    "par mois",
                    "cuota mensual",
                    "al mes",
                ],
            ),
            AskedResult::new(
                "total_interest",
                "",
                &[
                    "cost me in interest",
                    "cost in interest",
                    "cost us in interest",
                    "in interest",
                    "an zinsen",
                    "intérêts au total",
                    "total des intérêts",
                    "intereses en total",
                    "total de intereses",
                    "total interest",
                    "?interest",
                    "?zinsen",
                    "?intérêts",
                    "?intereses",
                    "interest in total",
                    "interest overall",
                    "pay in interest",
                    "paid in interest",
                    "zinsen insgesamt",
                    "gesamtzinsen",
                    "how much interest",
                    "interest altogether",
                ],
            ),
            AskedResult::new(
                "total_paid",
                "",
                &[
                    "total paid",
                    "paid in total",
                    "pay in total",
                    "pay back in total",
                    "total repayment",
                    "paid back in total",
                    "?total",
                    "repay in total",
                    "altogether",
                    "insgesamt zurück",
                    "au total",
                    "en total",
                ],
            ),
            AskedResult::new("last_payment", "", &["last payment", "final payment", "last instalment"]),
        ],
        also: &[
            "jahreszins",
            "sollzins",
            "nominalzins",
            "zins",
            "monthly",
            "loan",
            "repay",
            "over",
            "for",
            "über",
            "mit",
            "laufzeit von",
            "jährlich*",
            "annually",
            "zinssatz",
            "taux",
            "taux annuel",
            "tipo",
            "cuota",
            "mensual",
            "interest rate",
            "par an",
            "durée",
            "plazo",
            "laufzeit",
            "rate of",
            "equal",
            "nominal",
            "year",
            "years",
            "months",
            "instalments",
            "installments",
            "rate",
            "insgesamt",
            "laufzeit",
            "term",
            "apr",
            "amount",
            "overall",
        ],
        evidence: &[],
        unless: &[
            "balloon",
            "effective",
            "effektiv*",
            "down payment",
            "interest-only",
            "interest only",
            "grace",
            "weekly",
            "quarterly",
            "biweekly",
            "deposit",
            "saving",
            "savings",
            "afford",
            "balance",
            "restschuld",
            "owe after",
        ],
    },
    run: |given| {
        let (principal, rate) = (given.money("principal")?, given.rate("rate")?);
        let loan = amortize_loan(principal, rate, given.count("months")?, given.rounding()?)?;
        let row = |part: &Instalment| {
            Figure::record([
                ("month", Exact::from(part.month).into()),
                ("payment", part.payment.into()),
                ("interest", part.interest.into()),
                ("principal", part.principal.into()),
                ("balance", part.balance.into()),
            ])
        };
        let last = loan.instalments.last().map_or(loan.payment, |part| part.payment);
        let values = [
            ("payment", loan.payment.into()),
            ("last_payment", last.into()),
            ("total_interest", loan.total_interest.into()),
            ("total_paid", loan.total_paid.into()),
            ("schedule", Figure::List(loan.instalments.iter().map(row).collect())),
        ];
        Ok(Answer::of(values).with_lines(loan.lines))
    },
};
