//! The arguments of one call, checked against the parameters of its function.

use std::collections::BTreeMap;

use jiff::civil::Date;

use crate::catalogue::{CallError, Kind, Need, Parameter, excerpt};
use crate::exact::Exact;
use crate::figure::Figure;
use crate::formula::FormulaError;
use crate::money::Money;
use crate::rate::Rate;
use crate::rounding::Rounding;

/// How many items a list may have.
const ITEMS_MAX: usize = 10_000;

/// Arguments that fit their parameters, with the defaults put in.
#[derive(Debug)]
pub(crate) struct Given {
    figures: BTreeMap<&'static str, Figure>,
}

impl Given {
    /// Checks the arguments. `path` is what stands before a parameter's name in a refusal.
    pub(crate) fn check(
        parameters: &[Parameter],
        arguments: &BTreeMap<String, Figure>,
        path: &str,
    ) -> Result<Self, CallError> {
        let known = |name: &str| parameters.iter().any(|parameter| parameter.name == name);
        if let Some(name) = arguments.keys().find(|name| !known(name)) {
            return Err(CallError::Surplus { parameter: format!("{path}{}", excerpt(name)) });
        }
        let mut figures = BTreeMap::new();
        for parameter in parameters {
            let path = format!("{path}{}", parameter.name);
            let figure = match (arguments.get(parameter.name), parameter.need) {
                (Some(figure), Need::Required | Need::Optional | Need::Default(_)) => {
                    fit(&parameter.kind, figure, &path)?
                }
                (None, Need::Required) => return Err(CallError::Missing { parameter: path }),
                (None, Need::Optional) => continue,
                (None, Need::Default(text)) => read_default(&parameter.kind, text)?,
            };
            figures.insert(parameter.name, figure);
        }
        Ok(Self { figures })
    }

    pub(crate) fn money(&self, name: &str) -> Result<Money, CallError> {
        self.taken(name, &Kind::Money, Figure::as_money)
    }

    pub(crate) fn number(&self, name: &str) -> Result<&Exact, CallError> {
        self.taken(name, &Kind::Number, Figure::as_number)
    }

    pub(crate) fn hours(&self, name: &str) -> Result<&Exact, CallError> {
        self.taken(name, &Kind::Hours, Figure::as_hours)
    }

    pub(crate) fn rate(&self, name: &str) -> Result<&Rate, CallError> {
        self.taken(name, &Kind::Percent, Figure::as_percent)
    }

    pub(crate) fn date(&self, name: &str) -> Result<Date, CallError> {
        self.taken(name, &Kind::Date, Figure::as_date)
    }

    pub(crate) fn text(&self, name: &str) -> Result<&str, CallError> {
        self.taken(name, &Kind::Text, Figure::as_text)
    }

    /// A whole number of either sign, of days or of anything.
    pub(crate) fn whole(&self, name: &str) -> Result<i64, CallError> {
        self.taken(name, &Kind::Whole, |figure| {
            let number = || figure.as_number()?.to_i128().and_then(|whole| i64::try_from(whole).ok());
            figure.as_days().or_else(number)
        })
    }

    /// A whole number from zero up.
    pub(crate) fn count(&self, name: &'static str) -> Result<u32, CallError> {
        let whole = self.whole(name)?;
        if whole < 0 {
            return Err(FormulaError::BelowZero { parameter: name, given: whole.to_string() }.into());
        }
        u32::try_from(whole).map_err(|_| {
            FormulaError::Above { parameter: name, given: whole.to_string(), most: u32::MAX.to_string() }
                .into()
        })
    }

    pub(crate) fn rounding(&self) -> Result<Rounding, CallError> {
        let name = self.text("rounding")?;
        Rounding::parse(name).map_err(|_| CallError::Missing { parameter: "rounding".to_owned() })
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.figures.contains_key(name)
    }

    /// The items of a list, each taken by `take`; none if the list was left out.
    pub(crate) fn each<'a, T>(
        &'a self,
        name: &str,
        take: fn(&'a Figure) -> Option<T>,
    ) -> Result<Vec<T>, CallError> {
        let missing = || CallError::Missing { parameter: name.to_owned() };
        self.list(name)?.iter().map(|figure| take(figure).ok_or_else(missing)).collect()
    }

    /// The items of a list of records, checked when the list was.
    pub(crate) fn records(&self, name: &str, fields: &[Parameter]) -> Result<Vec<Self>, CallError> {
        let records = self.each(name, Figure::as_record)?;
        records.into_iter().map(|record| Self::check(fields, record, name)).collect()
    }

    fn list(&self, name: &str) -> Result<&[Figure], CallError> {
        if !self.has(name) {
            return Ok(&[]);
        }
        self.taken(name, &Kind::List(&Kind::Text), Figure::as_list)
    }

    /// The figure of this name, taken by `take`.
    fn taken<'a, T>(
        &'a self,
        name: &str,
        kind: &Kind,
        take: impl Fn(&'a Figure) -> Option<T>,
    ) -> Result<T, CallError> {
        let figure = self.figure(name)?;
        take(figure).ok_or_else(|| wrong_kind(name, kind, figure))
    }

    fn figure(&self, name: &str) -> Result<&Figure, CallError> {
        self.figures.get(name).ok_or_else(|| CallError::Missing { parameter: name.to_owned() })
    }
}

/// The figure as its parameter takes it, if it does.
fn fit(kind: &Kind, figure: &Figure, path: &str) -> Result<Figure, CallError> {
    match (kind, figure) {
        (Kind::Money, Figure::Money(_))
        | (Kind::Number, Figure::Number(_))
        | (Kind::Percent, Figure::Percent(_))
        | (Kind::Hours, Figure::Hours(_))
        | (Kind::Days, Figure::Days(_))
        | (Kind::Date, Figure::Date(_))
        | (Kind::Text, Figure::Text(_)) => Ok(figure.clone()),
        (Kind::Whole, Figure::Number(number)) if number.is_integer() => Ok(figure.clone()),
        (Kind::Choice(choices), Figure::Text(text)) if choices.contains(&text.as_str()) => Ok(figure.clone()),
        (Kind::List(kind), Figure::List(figures)) => {
            if figures.len() > ITEMS_MAX {
                let expected = format!("at most {ITEMS_MAX} items");
                let given = format!("{} items", figures.len());
                return Err(CallError::WrongKind { parameter: path.to_owned(), expected, given });
            }
            let each = figures.iter().enumerate();
            let fitted = each.map(|(index, figure)| fit(kind, figure, &format!("{path}[{index}]")));
            Ok(Figure::List(fitted.collect::<Result<_, _>>()?))
        }
        // A single figure where a list is taken is a list of one.
        (Kind::List(kind), single) => Ok(Figure::List(vec![fit(kind, single, path)?])),
        (Kind::Record(fields), Figure::Record(arguments)) => {
            let checked = Given::check(fields, arguments, &format!("{path}."))?;
            let fields = checked.figures.into_iter().map(|(name, figure)| (name.to_owned(), figure));
            Ok(Figure::Record(fields.collect()))
        }
        (
            Kind::Money
            | Kind::Number
            | Kind::Whole
            | Kind::Percent
            | Kind::Hours
            | Kind::Days
            | Kind::Date
            | Kind::Text
            | Kind::Choice(_)
            | Kind::Record(_),
            other,
        ) => Err(wrong_kind(path, kind, other)),
    }
}

/// A default as a figure; for a list, items separated by commas.
pub(crate) fn read_default(kind: &Kind, text: &str) -> Result<Figure, CallError> {
    match kind {
        Kind::List(item) => {
            text.split(',').map(|text| item.read(text)).collect::<Result<_, _>>().map(Figure::List)
        }
        Kind::Money
        | Kind::Number
        | Kind::Whole
        | Kind::Percent
        | Kind::Hours
        | Kind::Days
        | Kind::Date
        | Kind::Text
        | Kind::Choice(_)
        | Kind::Record(_) => kind.read(text),
    }
}

fn wrong_kind(parameter: &str, kind: &Kind, given: &Figure) -> CallError {
    let given = match (given.as_text(), given.as_number()) {
        (Some(text), _) => format!("`{}`", excerpt(text)),
        (None, Some(number)) => format!("the number {}", excerpt(&number.to_string())),
        (None, None) => given.kind_name().to_owned(),
    };
    CallError::WrongKind { parameter: parameter.to_owned(), expected: kind.to_string(), given }
}
