//! Units of quantities, and the words for them.

use super::cursor::Pieces;
use super::piece::Case;

/// The unit of a quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unit {
    /// Seconds.
    Second,
    /// Minutes.
    Minute,
    /// Hours.
    Hour,
    /// Calendar days.
    Day,
    /// Days on which business is done.
    WorkingDay,
    /// Weeks.
    Week,
    /// Months.
    Month,
    /// Years.
    Year,
    /// Pieces of something: `3x`, `3 pcs`, `2 Stück`, `2 units`.
    Piece,
    /// Grams.
    Gram,
    /// Kilograms.
    Kilogram,
    /// Millimetres.
    Millimetre,
    /// Centimetres.
    Centimetre,
    /// Metres.
    Metre,
    /// Kilometres.
    Kilometre,
    /// Litres.
    Litre,
}

/// The unit whose word is at this place, and the place after it.
pub(super) fn read(pieces: Pieces<'_>, at: usize) -> Option<(Unit, usize)> {
    if pieces.is_sign(at, '×') {
        return Some((Unit::Piece, at + 1));
    }
    let word = pieces.word(at)?;
    let capital = pieces.get(at)?.case != Case::Lower;
    if capital && matches!(word, "g" | "h" | "m" | "mm") {
        return None;
    }
    let second = pieces.next_word(at + 1).and_then(|next| Some((pieces.word(next)?, next + 1)));
    match (word, second) {
        ("working" | "business", Some(("day" | "days", end))) => Some((Unit::WorkingDay, end)),
        ("jour" | "jours", Some(("ouvre" | "ouvres", end))) => Some((Unit::WorkingDay, end)),
        ("dia" | "dias", Some(("habil" | "habiles" | "laborable" | "laborables", end))) => {
            Some((Unit::WorkingDay, end))
        }
        // Monday to Saturday: neither calendar days nor working days.
        ("jour" | "jours", Some(("ouvrable" | "ouvrables", _))) => None,
        _ => named(word).map(|unit| (unit, at + 1)),
    }
}

fn named(word: &str) -> Option<Unit> {
    Some(match word {
        "seconds" | "sec" | "sekunden" | "secondes" | "segundos" => Unit::Second,
        "minute" | "minutes" | "min" | "mins" | "minuten" | "minuto" | "minutos" => Unit::Minute,
        "hour" | "hours" | "h" | "hr" | "hrs" | "stunde" | "stunden" | "std" | "heure" | "heures"
        | "hora" | "horas" => Unit::Hour,
        "day" | "days" | "tag" | "tage" | "tagen" | "tages" | "jour" | "jours" | "dia" | "dias" => Unit::Day,
        "arbeitstag" | "arbeitstage" | "arbeitstagen" | "workday" | "workdays" => Unit::WorkingDay,
        "week" | "weeks" | "woche" | "wochen" | "semaine" | "semaines" | "semana" | "semanas" => Unit::Week,
        "month" | "months" | "monat" | "monate" | "monaten" | "monats" | "mois" | "mes" | "meses" => {
            Unit::Month
        }
        "year" | "years" | "yr" | "yrs" | "jahr" | "jahre" | "jahren" | "jahres" | "ans" | "annee"
        | "annees" | "ano" | "anos" => Unit::Year,
        "x" | "pc" | "pcs" | "piece" | "pieces" | "unit" | "units" | "item" | "items" | "stuck"
        | "stueck" | "stk" | "unite" | "unites" | "unidad" | "unidades" | "pieza" | "piezas" | "uds" => {
            Unit::Piece
        }
        "g" | "gram" | "grams" | "gramm" => Unit::Gram,
        "kg" | "kilo" | "kilos" | "kilogram" | "kilograms" | "kilogramm" => Unit::Kilogram,
        "mm" => Unit::Millimetre,
        "cm" => Unit::Centimetre,
        "m" | "metre" | "metres" | "meter" | "meters" | "metro" | "metros" => Unit::Metre,
        "km" | "kilometre" | "kilometres" | "kilometer" | "kilometers" => Unit::Kilometre,
        "l" | "litre" | "litres" | "liter" | "liters" | "litro" | "litros" => Unit::Litre,
        _ => return None,
    })
}

/// The place after a percent sign or word, and what the number before it is divided by; zero for what is no percentage.
pub(super) fn percent(pieces: Pieces<'_>, at: usize) -> Option<(usize, i128)> {
    match pieces.sign(at) {
        Some('%' | '％') => return Some((at + 1, i128::from(!pieces.is_alphanumeric(at + 1)))),
        Some('‰') => return Some((at + 1, 10)),
        _ => {}
    }
    let second = pieces.next_word(at + 1).and_then(|next| Some((pieces.word(next)?, next + 1)));
    match (pieces.word(at)?, second) {
        ("percentage" | "prozentpunkt" | "prozentpunkte" | "prozentpunkten", _) => Some((at + 1, 0)),
        ("percent" | "prozent" | "pct", _) => Some((at + 1, 1)),
        ("per" | "pour", Some(("cent", end))) | ("por", Some(("ciento", end))) => Some((end, 1)),
        ("bps" | "bp" | "basispunkt" | "basispunkte" | "basispunkten", _) => Some((at + 1, 100)),
        ("basis", Some(("point" | "points", end))) => Some((end, 100)),
        _ => None,
    }
}
