//! Laws that hold for every input, not only for the examples.
#![expect(clippy::unwrap_used, reason = "tests may unwrap")]

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};
use proptest::prelude::*;
use purple_finance::catalogue::{self, Kind};
use purple_finance::formula;
use purple_finance::{
    Currency, Exact, Figure, Money, MoneyError, NumberError, Rate, Rounding, Symbols, parse_date,
    parse_money, parse_number,
};

fn currencies() -> impl Strategy<Value = Currency> {
    prop::sample::select(vec!["USD", "EUR", "JPY", "KWD", "CLF"])
        .prop_map(|code| Currency::parse(code).unwrap())
}

fn roundings() -> impl Strategy<Value = Rounding> {
    prop::sample::select(Rounding::ALL.to_vec())
}

fn minors() -> impl Strategy<Value = i128> {
    prop_oneof![
        -200i128..200,
        -100_000_000i128..100_000_000,
        any::<i64>().prop_map(i128::from),
        any::<i128>()
    ]
}

fn monies() -> impl Strategy<Value = Money> {
    (minors(), currencies()).prop_map(|(minor, currency)| Money::from_minor(minor, currency))
}

/// Decimals, fractions and numbers at the edge of both forms.
fn numbers() -> impl Strategy<Value = Exact> {
    let decimals = (any::<i64>(), 0u32..28).prop_map(|(digits, places)| {
        let tens = (0..places).fold(Exact::ONE, |tens, _| tens.times(&Exact::from(10)).unwrap());
        Exact::from(digits).over(&tens).unwrap()
    });
    let fractions = (any::<i64>(), 1i128..1_000_000).prop_map(|(n, d)| Exact::ratio(n.into(), d).unwrap());
    let wide = (any::<i128>(), 1i128..).prop_map(|(n, d)| Exact::ratio(n, d).unwrap());
    let edges = prop::sample::select(vec![
        Exact::ZERO,
        Exact::ONE,
        Exact::parse("39614081257132168796771975167").unwrap(),
        Exact::parse("39614081257132168796771975168").unwrap(),
        Exact::parse("-39614081257132168796771975167").unwrap(),
        Exact::parse("0.0000000000000000000000000001").unwrap(),
        Exact::parse("0.00000000000000000000000000001").unwrap(),
    ]);
    prop_oneof![4 => decimals, 2 => fractions, 2 => wide, 1 => edges]
}

/// The number as a big rational, read from its written form and from nothing else.
fn rational(number: &Exact) -> BigRational {
    let text = number.to_string();
    if let Some((numerator, denominator)) = text.split_once('/') {
        return BigRational::new(numerator.parse().unwrap(), denominator.parse().unwrap());
    }
    let (whole, decimals) = text.split_once('.').unwrap_or((&text, ""));
    let digits: BigInt = format!("{whole}{decimals}").parse().unwrap();
    BigRational::new(digits, BigInt::from(10).pow(u32::try_from(decimals.len()).unwrap()))
}

fn fits(number: &BigRational) -> bool {
    number.numer().bits() <= Exact::BITS_MAX && number.denom().bits() <= Exact::BITS_MAX
}

fn agrees(computed: Result<Exact, NumberError>, expected: &BigRational) {
    match computed {
        Ok(number) => {
            assert_eq!(&rational(&number), expected);
            assert!(fits(expected));
        }
        Err(error) => {
            assert_eq!(error, NumberError::TooLarge);
            assert!(!fits(expected));
        }
    }
}

fn hash(number: &Exact) -> u64 {
    let mut hasher = DefaultHasher::new();
    number.hash(&mut hasher);
    hasher.finish()
}

/// Rounding to a whole number by its definition: look at both neighbours and choose.
fn slowly(number: &BigRational, rounding: Rounding) -> BigInt {
    let (floor, ceiling) = (number.floor().to_integer(), number.ceil().to_integer());
    let (to_zero, from_zero) = if number.is_negative() {
        (ceiling.clone(), floor.clone())
    } else {
        (floor.clone(), ceiling.clone())
    };
    let distance = |to: &BigInt| (number - BigRational::from_integer(to.clone())).abs();
    let nearer = distance(&floor).cmp(&distance(&ceiling));
    let even = if (&floor % 2i32).is_zero() { floor.clone() } else { ceiling.clone() };
    let nearest = |tie: BigInt| match nearer {
        Ordering::Less => floor.clone(),
        Ordering::Greater => ceiling.clone(),
        Ordering::Equal => tie,
    };
    match rounding {
        Rounding::HalfEven => nearest(if floor == ceiling { floor.clone() } else { even }),
        Rounding::HalfUp => nearest(from_zero),
        Rounding::HalfDown => nearest(to_zero),
        Rounding::Up => from_zero,
        Rounding::Down => to_zero,
        Rounding::Ceiling => ceiling,
        Rounding::Floor => floor,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn arithmetic_agrees_with_big_rationals(left in numbers(), right in numbers()) {
        let (a, b) = (rational(&left), rational(&right));
        agrees(left.plus(&right), &(&a + &b));
        agrees(left.minus(&right), &(&a - &b));
        agrees(left.times(&right), &(&a * &b));
        if b.is_zero() {
            prop_assert_eq!(left.over(&right), Err(NumberError::DivisionByZero));
        } else {
            agrees(left.over(&right), &(&a / &b));
        }
        prop_assert_eq!(rational(&left.negated()), -&a);
        prop_assert_eq!(rational(&left.magnitude()), a.abs());
    }

    #[test]
    fn order_and_equality_agree_with_big_rationals(left in numbers(), right in numbers()) {
        let (a, b) = (rational(&left), rational(&right));
        prop_assert_eq!(left.cmp(&right), a.cmp(&b));
        prop_assert_eq!(left == right, a == b);
        prop_assert_eq!(left.is_negative(), a.is_negative());
        prop_assert_eq!(left.is_positive(), a.is_positive());
        prop_assert_eq!(left.is_zero(), a.is_zero());
        prop_assert_eq!(left.is_integer(), a.denom().is_one());
    }

    #[test]
    fn equal_numbers_are_equal_values_however_computed(left in numbers(), right in numbers()) {
        if let (Ok(sum), false) = (left.plus(&right), right.is_zero()) {
            if let Ok(back) = sum.minus(&right) {
                prop_assert_eq!(&back, &left);
                prop_assert_eq!(hash(&back), hash(&left));
            }
            if let Some(back) = left.times(&right).ok().and_then(|product| product.over(&right).ok()) {
                prop_assert_eq!(&back, &left);
                prop_assert_eq!(hash(&back), hash(&left));
            }
        }
    }

    #[test]
    fn what_is_written_is_read_back(number in numbers(), money in monies()) {
        let json = serde_json::to_string(&number).unwrap();
        prop_assert_eq!(serde_json::from_str::<Exact>(&json).unwrap(), number.clone());
        if let Some(plain) = number.to_plain().filter(|text| text.len() <= Exact::DIGITS_MAX) {
            prop_assert_eq!(Exact::parse(&plain), Ok(number.clone()));
            prop_assert_eq!(number.finite_places().map(usize::from), Some(plain.split_once('.').map_or(0, |(_, d)| d.len())));
        }
        prop_assert_eq!(Money::parse(&money.to_string()), Ok(money));
        if let Ok(rate) = Rate::percent(&number) {
            prop_assert_eq!(serde_json::from_str::<Rate>(&serde_json::to_string(&rate).unwrap()).unwrap(), rate);
        }
    }

    #[test]
    fn an_amount_with_thousands_commas_is_read_back(minor in any::<i64>(), currency in currencies()) {
        let money = Money::from_minor(minor.into(), currency);
        let text = money.to_string();
        let (number, code) = text.split_once(' ').unwrap();
        let (whole, decimals) = number.split_once('.').map_or((number, String::new()), |(w, d)| (w, format!(".{d}")));
        let (sign, digits) = whole.strip_prefix('-').map_or(("", whole), |digits| ("-", digits));
        let mut grouped = String::new();
        for (index, digit) in digits.char_indices() {
            if index > 0 && (digits.len() - index).is_multiple_of(3) {
                grouped.push(',');
            }
            grouped.push(digit);
        }
        for written in [format!("{sign}{grouped}{decimals} {code}"), format!("{code} {sign}{grouped}{decimals}")] {
            prop_assert_eq!(parse_money(&written, Symbols::default()), Ok(money));
        }
    }

    #[test]
    fn rounding_agrees_with_its_definition(number in numbers(), places in 0u8..40, rounding in roundings()) {
        let tens = BigRational::from_integer(BigInt::from(10).pow(places.into()));
        let expected = BigRational::from_integer(slowly(&(rational(&number) * &tens), rounding)) / tens;
        prop_assert_eq!(rational(&number.rounded(places, rounding)), expected.clone());
        let fixed = number.to_fixed(places, rounding);
        prop_assert_eq!(fixed.split_once('.').map_or(0, |(_, decimals)| decimals.len()), usize::from(places));
        prop_assert_eq!(rational(&serde_json::from_value(serde_json::json!(fixed)).unwrap()), expected);
    }

    #[test]
    fn ties_are_rounded_by_their_definition(units in any::<i32>(), places in 0u8..20, rounding in roundings()) {
        let tie = BigRational::new(BigInt::from(2) * units + 1, BigInt::from(2) * BigInt::from(10).pow(places.into()));
        let text = format!("\"{}/{}\"", tie.numer(), tie.denom());
        let number: Exact = serde_json::from_str(&text).unwrap();
        let tens = BigRational::from_integer(BigInt::from(10).pow(places.into()));
        let expected = BigRational::from_integer(slowly(&(tie * &tens), rounding)) / tens;
        prop_assert_eq!(rational(&number.rounded(places, rounding)), expected);
    }

    #[test]
    fn money_is_rounded_as_numbers_are(number in numbers(), currency in currencies(), rounding in roundings()) {
        let rounded = number.rounded(currency.digits(), rounding);
        match Money::rounded(&number, currency, rounding) {
            Ok(money) => prop_assert_eq!(money.amount(), rounded.clone()),
            Err(error) => prop_assert_eq!(error, MoneyError::TooLarge { currency }),
        }
        prop_assert_eq!(Money::exact(&number, currency).is_ok(), rounded == number && Money::rounded(&number, currency, rounding).is_ok());
    }

    #[test]
    fn currencies_never_mix(left in monies(), right in monies()) {
        let mixes = left.currency() != right.currency();
        let mismatch = Err(MoneyError::CurrencyMismatch { left: left.currency(), right: right.currency() });
        prop_assert_eq!(left.plus(&right) == mismatch, mixes);
        prop_assert_eq!(left.minus(&right) == mismatch, mixes);
        prop_assert_eq!(left.compare(&right).is_err(), mixes);
        if mixes {
            prop_assert_ne!(left, right);
        }
    }

    #[test]
    fn equal_parts_sum_to_the_whole(total in monies(), parts in 1usize..200) {
        let split = total.split(parts).unwrap();
        prop_assert_eq!(split.len(), parts);
        prop_assert_eq!(Money::sum(total.currency(), split.iter().copied()), Ok(total));
        let magnitudes: Vec<_> = split.iter().map(|part| part.minor().unsigned_abs()).collect();
        prop_assert!(magnitudes.windows(2).all(|pair| pair[0] >= pair[1]), "the larger come first");
        prop_assert!(magnitudes[0] - magnitudes[parts - 1] <= 1, "and differ by a unit at most");
        for (index, part) in split.iter().enumerate() {
            let number = u32::try_from(index + 1).unwrap();
            let periods = u32::try_from(parts).unwrap();
            prop_assert_eq!(formula::prorated_for_period(total, number, periods), Ok(*part));
        }
    }

    #[test]
    fn weighted_parts_sum_to_the_whole(total in monies(), weights in prop::collection::vec(numbers(), 1..12)) {
        let weights: Vec<_> = weights.iter().map(Exact::magnitude).collect();
        let Ok(parts) = total.allocate(&weights) else {
            prop_assert!(weights.iter().all(Exact::is_zero));
            return Ok(());
        };
        prop_assert_eq!(Money::sum(total.currency(), parts.iter().copied()), Ok(total));
        let sum: BigRational = weights.iter().map(rational).sum();
        for (part, weight) in parts.iter().zip(&weights) {
            let ideal = BigRational::from_integer(total.minor().into()) * rational(weight) / &sum;
            let off = (BigRational::from_integer(part.minor().into()) - ideal).abs();
            prop_assert!(off < BigRational::one(), "no part is a unit off");
        }
    }

    #[test]
    fn depreciation_and_revenue_sum_to_the_whole(minor in 1i64.., salvage in 0i64.., months in 1u32..400, elapsed in 0u32..400) {
        let money = |minor: i64| Money::from_minor(minor.into(), Currency::USD);
        let (cost, salvage) = (money(minor.max(salvage)), money(minor.min(salvage)));
        let depreciation = formula::straight_line_depreciation(cost, salvage, months).unwrap();
        prop_assert_eq!(Money::sum(Currency::USD, depreciation.months.iter().copied()), cost.minus(&salvage));
        let elapsed = elapsed.min(months);
        let revenue = formula::recognize_revenue(cost, months, elapsed).unwrap();
        prop_assert_eq!(revenue.recognized.plus(&revenue.deferred), Ok(cost));
        let earned = (1..=elapsed).map(|month| formula::prorated_for_period(cost, month, months).unwrap());
        prop_assert_eq!(Money::sum(Currency::USD, earned), Ok(revenue.recognized));
    }

    #[test]
    fn two_parts_of_an_amount_sum_to_it(minor in 0i64.., hundredths in 0i64..=10_000, rounding in roundings()) {
        let amount = Money::from_minor(minor.into(), Currency::USD);
        let rate = Rate::basis_points(&Exact::from(hundredths)).unwrap();
        let left = formula::apply_early_termination_fee(amount, &rate, rounding).unwrap();
        prop_assert_eq!(left.fee.plus(&left.net_refund), Ok(amount));
        let paid = formula::withhold(amount, &rate, rounding).unwrap();
        prop_assert_eq!(paid.withheld.plus(&paid.net), Ok(amount));
        for vat in [formula::add_vat(amount, &rate, rounding), formula::extract_vat(amount, &rate, rounding)] {
            let vat = vat.unwrap();
            prop_assert_eq!(vat.net.plus(&vat.tax), Ok(vat.gross));
        }
    }

    #[test]
    fn a_price_with_tax_contains_that_tax(minor in 0i64.., hundredths in 0i64..=10_000) {
        let net = Money::from_minor(minor.into(), Currency::USD);
        let rate = Rate::basis_points(&Exact::from(hundredths)).unwrap();
        let added = formula::add_vat(net, &rate, Rounding::HalfEven).unwrap();
        let found = formula::extract_vat(added.gross, &rate, Rounding::HalfEven).unwrap();
        prop_assert!((found.tax.minor() - added.tax.minor()).abs() <= 1);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn the_principal_parts_of_a_loan_sum_to_the_principal(
        minor in prop_oneof![1i128..1000, 1i128..10_000_000_000],
        hundredths in 0i64..4000,
        months in 1u32..120,
        rounding in roundings(),
    ) {
        let principal = Money::from_minor(minor, Currency::USD);
        let rate = Rate::basis_points(&Exact::from(hundredths)).unwrap();
        let loan = formula::amortize_loan(principal, &rate, months, rounding).unwrap();
        let sum = |part: fn(&formula::Instalment) -> Money| Money::sum(Currency::USD, loan.instalments.iter().map(part)).unwrap();
        prop_assert_eq!(sum(|part| part.principal), principal);
        prop_assert_eq!(sum(|part| part.interest), loan.total_interest);
        prop_assert_eq!(sum(|part| part.payment), loan.total_paid);
        prop_assert_eq!(loan.instalments.len(), months as usize);
        let mut balance = principal;
        for part in &loan.instalments {
            prop_assert_eq!(part.payment, part.principal.plus(&part.interest).unwrap());
            balance = balance.minus(&part.principal).unwrap();
            prop_assert_eq!(part.balance, balance);
            prop_assert!(!part.principal.is_negative() && !part.interest.is_negative());
        }
        prop_assert!(balance.is_zero());
    }

    #[test]
    fn the_internal_rate_of_return_is_where_the_value_changes_sign(
        paid in 1i64..100_000_000,
        back in prop::collection::vec(0i64..100_000_000, 1..12),
    ) {
        let flows: Vec<_> = std::iter::once(-paid).chain(back.iter().copied())
            .map(|minor| Money::from_minor(minor.into(), Currency::USD)).collect();
        let Ok(rate) = formula::irr(&flows, Rounding::Floor) else {
            return Ok(());
        };
        let step = Exact::parse("0.000001").unwrap();
        let next = Rate::percent(&rate.as_percent().plus(&step).unwrap()).unwrap();
        let value = |rate: &Rate, rounding| formula::npv(rate, &flows, rounding).unwrap();
        prop_assert!(!value(&rate, Rounding::Up).is_negative());
        prop_assert!(value(&next, Rounding::Up).is_negative() || value(&next, Rounding::Up).is_zero());
    }

    #[test]
    fn buckets_sum_to_the_total(rows in prop::collection::vec((any::<i64>(), 0i64..400), 1..30)) {
        let as_of = parse_date("2026-06-30").unwrap();
        let receivables: Vec<_> = rows.iter().enumerate().map(|(index, (minor, days))| formula::Receivable {
            id: index.to_string(),
            amount: Money::from_minor((*minor).into(), Currency::EUR),
            due: purple_finance::add_days(as_of, 200 - days).unwrap(),
        }).collect();
        let aging = formula::aging_buckets(&receivables, as_of, &[30, 60, 90]).unwrap();
        prop_assert_eq!(Money::sum(Currency::EUR, aging.buckets.iter().map(|bucket| bucket.amount)), Ok(aging.total));
        prop_assert_eq!(aging.buckets.iter().map(|bucket| bucket.ids.len()).sum::<usize>(), rows.len());
    }

    #[test]
    fn every_hour_is_paid_once(quarters in prop::collection::vec(0i128..=96, 1..=7), california in any::<bool>()) {
        let days: Vec<_> = quarters.iter().map(|quarters| Exact::ratio(*quarters, 4).unwrap()).collect();
        let rule = if california { formula::OvertimeRule::California } else { formula::OvertimeRule::Federal };
        let rate = Money::from_minor(28_00, Currency::USD);
        let paid = formula::overtime(rate, formula::Worked::Days(&days), rule, Rounding::HalfEven).unwrap();
        let sum = paid.regular_hours.plus(&paid.overtime_hours).unwrap().plus(&paid.double_hours).unwrap();
        prop_assert_eq!(sum, Exact::ratio(quarters.iter().sum(), 4).unwrap());
        prop_assert!(paid.regular_hours <= Exact::from(40));
        let week = Exact::ratio(quarters.iter().sum(), 4).unwrap();
        let weekly = formula::overtime(rate, formula::Worked::Week(&week), rule, Rounding::HalfEven).unwrap();
        prop_assert!(paid.total.compare(&weekly.total).unwrap().is_ge(), "the daily rule never pays less");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn nothing_panics_on_any_text(text in ".{0,80}") {
        let _ = (Exact::parse(&text), Money::parse(&text), Rate::parse(&text), Currency::parse(&text));
        let _ = (parse_money(&text, Symbols::default()), parse_number(&text), parse_date(&text), Rounding::parse(&text));
        for kind in [Kind::Money, Kind::Number, Kind::Whole, Kind::Percent, Kind::Hours, Kind::Days, Kind::Date] {
            let _ = kind.read(&text);
        }
        let _ = catalogue::call(&text, &BTreeMap::new());
        let _ = serde_json::from_value::<Exact>(serde_json::json!(text));
    }

    #[test]
    fn nothing_panics_on_text_that_looks_like_an_amount(text in "[-$€ ()]{0,2}[0-9.,eE+'−٣]{0,50}[ ]?[A-Z%]{0,4}") {
        for kind in [Kind::Money, Kind::Number, Kind::Whole, Kind::Percent, Kind::Hours, Kind::Days] {
            if let Ok(figure) = kind.read(&text) {
                prop_assert_eq!(kind.read(&figure.to_string()), Ok(figure), "what is read can be written and read again");
            }
        }
    }

    #[test]
    fn no_function_panics_on_any_figures(
        index in 0usize..31,
        figures in prop::collection::vec((any::<bool>(), minors(), numbers(), 0u8..7), 12),
    ) {
        let function = catalogue::functions()[index];
        let currency = |other: bool| if other { Currency::JPY } else { Currency::USD };
        let mut drawn = figures.iter().cycle();
        let mut figure = |kind: &Kind| {
            let (other, minor, number, choice) = drawn.next().unwrap();
            draw(kind, currency(*other && *choice == 0), *minor, number, usize::from(*choice))
        };
        let arguments = function.parameters.iter().map(|parameter| {
            let figure = match parameter.kind {
                Kind::List(Kind::Record(fields)) => Figure::List(vec![
                    Figure::Record(fields.iter().map(|field| (field.name.to_owned(), figure(&field.kind))).collect()),
                ]),
                Kind::List(item) => Figure::List(vec![figure(item), figure(item), figure(item)]),
                kind => figure(&kind),
            };
            (parameter.name.to_owned(), figure)
        }).collect();
        let _ = catalogue::call(function.name, &arguments);
    }
}

fn draw(kind: &Kind, currency: Currency, minor: i128, number: &Exact, choice: usize) -> Figure {
    let small = i64::try_from(minor % 500).unwrap();
    match kind {
        Kind::Money => Figure::Money(Money::from_minor(minor, currency)),
        Kind::Number => Figure::Number(number.clone()),
        Kind::Whole => Figure::Number(Exact::from(if choice == 6 { i64::MAX } else { small })),
        Kind::Percent => Figure::Percent(Rate::percent(&number.rounded(4, Rounding::Down)).unwrap()),
        Kind::Hours => Figure::Hours(number.clone()),
        Kind::Days => Figure::Days(if choice == 6 { i64::MIN } else { small }),
        Kind::Date => Figure::Date(
            purple_finance::add_days(
                parse_date("2026-06-30").unwrap(),
                small * if choice == 6 { 5000 } else { 1 },
            )
            .unwrap(),
        ),
        Kind::Text => Figure::Text(["USD", "JPY", "A", "B", "EUR", "", "\u{2212}"][choice].to_owned()),
        Kind::Choice(choices) => Figure::Text(choices[choice % choices.len()].to_owned()),
        Kind::List(_) | Kind::Record(_) => Figure::List(Vec::new()),
    }
}
