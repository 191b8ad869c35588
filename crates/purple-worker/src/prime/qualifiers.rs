//! Words that change what a figure means: by what it is charged, and everything that a function has to explain.

use std::ops::Range;
use std::sync::LazyLock;

use purple_finance::catalogue::Per;
use regex::Regex;

use super::pattern::pattern;

/// Words that change a calculation. A function that does not explain one of them does not answer.
pub(crate) static QUALIFIERS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    "gross, net, brutto, netto, ttc, ht, bruto, neto, pre-tax, post-tax, untaxed, taxed, incl*, excl*, \
     inkl*, exkl*, comprises, before, prior, vor, avant, antes, ago, compound*, effective, zinseszins*, \
     round*, gerundet, aufgerundet, abgerundet, arrondi*, twice, double*, triple*, quadrupl*, half, halve*, \
     halving, third, quarter*, halb*, doppelt*, verdoppel*, hälfte, moitié, mitad, quartal*, trimestr*, \
     semi-annual*, semiannual*, biannual*, bimonthly, biweekly, fortnight*, hourly, daily, weekly, monthly, \
     yearly, annual*, monatlich*, jährlich*, wöchentlich*, täglich*, stündlich*, halbjährlich*, mensuel*, \
     annuel*, mensual*, anual*, per, pro, a year, a month, a week, a day, an hour, im jahr, im monat, \
     par an, par mois, al año, al mes, p.a, p. a, jahres*, monats*, wochen*, tages*, minus, less, \
     abzüglich, abzgl, moins, menos, subtract*, deduct*, discount*, rabatt*, skonto*, remise*, descuento*, \
     rebate*, surcharge*, zuschlag*, deposit*, anzahlung*, down payment, prepaid, bonus*, tip, tips, \
     shipping, freight, fracht*, except, exempt*, steuerfrei*, without, ohne, sans, sin, plus, zuzüglich, \
     zzgl, más, additional, additionally, extra, not, no, never, nor, kein*, nicht, weder, don't, doesn't, \
     isn't, average, durchschnitt*, each, every, jeweils, je, chaque, cada, holiday*, feiertag*, instead, \
     cap, capped, minimum, maximum, at least, at most, grace, times, multipl*, percentage point*, \
     prozentpunkt*, basis point*, points de pourcentage, puntos porcentuales, of which, davon, dont, \
     combined, together, credit note, refund*, cumulative, accumulated, kumuliert, instead of, statt, \
     reverse charge, dozen, dutzend, squared, inflation*, indexed, reduced, increased, ermäßigt*, first, \
     second, fourth, fifth, last, final, erste*, zweite*, dritte*, letzte*, premier*, première*, deuxième*, \
     dernier*, dernière*, primer*, segund*, últim*, first year, rest, remainder, only half, wrong, \
     difference, ratio, percent of percent, advance, arrears, upfront, nachschüssig, vorschüssig, zero-rated, \
     balloon, start of, beginning of, mid-year, \
     one, two, three, four, five, six, seven, eight, nine, ten, twelve, zwei, drei, vier, fünf, sechs, \
     sieben, acht, neun, zehn, zwölf, deux, trois, quatre, cinq, dos, tres, cuatro, cinco, both, beide, \
     les deux, ambos, so far, to date, bisher, bislang, jusqu'ici, hasta ahora, all but, counting, \
     mitgezählt, nothing, nichts, rien, nada, mondays, tuesdays, wednesdays, thursdays, fridays, saturdays, sundays, weekends, nights"
        .split(", ")
        .collect()
});

/// By what the figure at this place is charged, and the words that say so.
pub(crate) fn pers(lower: &str, figure: &Range<usize>) -> Vec<(Per, Range<usize>)> {
    let mut found = Vec::new();
    let after = lower.get(figure.end..).unwrap_or_default();
    if let Some(words) = AFTER.captures(after) {
        let whole = words.get(0).map_or(0..0, |whole| whole.range());
        let range = figure.end..figure.end.saturating_add(whole.end);
        let units = ["unit", "adverb", "annum", "second"];
        let named = units.iter().filter_map(|name| words.name(name));
        found.extend(named.filter_map(|word| Some((unit(word.as_str())?, range.clone()))));
    }
    let before = lower.get(..figure.start).unwrap_or_default();
    if let Some(words) = BEFORE.captures(before)
        && let Some(adjective) = words.name("adjective")
        && let Some(per) = unit(adjective.as_str())
        && !before.get(adjective.end()..).is_some_and(begins_another_noun)
    {
        found.push((per, adjective.range()));
    }
    found
}

/// Whether the words between an adjective and a figure belong to another noun: "monthly payment of a 12,000 USD loan".
fn begins_another_noun(between: &str) -> bool {
    between.split_whitespace().any(|word| BEGINS_A_NOUN.contains(&word))
}

const BEGINS_A_NOUN: &[&str] = &[
    "a", "an", "the", "for", "on", "in", "over", "einen", "einem", "für", "über", "durante", "pendant", "sur",
];

const UNITS: &str = r"hours?|hr|h|std|stunde|heure|hora|days?|tag|jour|día|weeks?|wk|woche|semaine|semana|months?|mo|monat|mois|mes|quarters?|quartal|trimestre|years?|yr|annum|jahr|an|año|units?|piece|item|stück|unité|unidad|orders?|bestellung";
const ADVERBS: &str = r"hourly|daily|weekly|monthly|quarterly|annually|annual|annualised|annualized|yearly|stündlich|täglich|wöchentlich|monatlich|vierteljährlich|jährlich|mensuel\w*|annuel\w*|mensual\w*|anual\w*";

static AFTER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r"^\)?\s?(?:nominal |interest |zinsen |fee )?(?:(?:/\s?|(?:per|a|an|each|every|pro|je|par|por|im|al)\s)(?P<unit>{UNITS})\b(?:\s(?:and|und|per|/)\s?(?P<second>{UNITS})\b)?|(?P<annum>p\.?\s?a\b\.?|p\.?\s?m\b\.?)|(?:nominal |interest )?(?P<adverb>{ADVERBS})\b)"
    ))
});
static BEFORE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r"\b(?P<adjective>(?:{ADVERBS})(?:e[rnms]?)?)(?:\s[\p{{L}}-]+){{0,2}}?\s?(?:of|at|is|was|von|de|:|=)?\s?$"
    ))
});

fn unit(word: &str) -> Option<Per> {
    let begins = |stems: &[&str]| stems.iter().any(|stem| word.starts_with(stem));
    Some(match word {
        "h" | "hr" | "std" => Per::Hour,
        "mo" | "mes" => Per::Month,
        "an" | "yr" | "annum" => Per::Year,
        "wk" => Per::Week,
        _ if word.starts_with('p') && word.contains('m') => Per::Month,
        _ if word.starts_with("p.") || word == "pa" || word == "p a" => Per::Year,
        _ if begins(&["hour", "stund", "stünd", "heure", "hora"]) => Per::Hour,
        _ if begins(&["vierteljährlich", "quart", "trimes"]) => Per::Quarter,
        _ if begins(&["day", "dai", "tag", "täg", "jour", "día"]) => Per::Day,
        _ if begins(&["week", "woche", "wöche", "sema"]) => Per::Week,
        _ if begins(&["month", "mona", "mois", "mens"]) => Per::Month,
        _ if begins(&["year", "annu", "jahr", "jähr", "año", "anual"]) => Per::Year,
        _ if begins(&["unit", "piece", "item", "stück", "unid"]) => Per::Piece,
        _ if begins(&["order", "bestellung"]) => Per::Order,
        _ => return None,
    })
}
