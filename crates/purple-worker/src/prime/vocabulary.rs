//! Whether every word of a calculation is known. A word that nobody explains may change the figure.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::LazyLock;

use purple_finance::catalogue::{self, Function, Kind, Parameter};
use purple_intent::{Language, Role, lexicon};

use super::argument::currency_named;
use super::calculate::Task;
use super::headline::plain;
use super::label::ASKING;
use super::purity::CALCULATING;
use super::understood::{is_within, words_of};

/// Nouns at a figure that do not change what it is.
const HARMLESS: &[&str] = &[
    "contract",
    "agreement",
    "invoice",
    "bill",
    "amount",
    "sum",
    "price",
    "purchase",
    "payment",
    "machine",
    "laptop",
    "car",
    "vehicle",
    "van",
    "truck",
    "equipment",
    "server",
    "computer",
    "printer",
    "asset",
    "fee",
    "subscription",
    "licence",
    "license",
    "order",
    "product",
    "service",
    "item",
    "goods",
    "salary",
    "rent",
    "value",
    "total",
    "worth",
    "contractor",
    "customer",
    "supplier",
    "vendor",
    "vertrag",
    "rechnung",
    "betrag",
    "preis",
    "maschine",
    "summe",
    "rechnungsbetrag",
    "montant",
    "facture",
    "importe",
    "factura",
    "swiss",
    "german",
    "french",
    "rate",
    "tax",
    "steuersatz",
    "parts",
    "payments",
    "people",
    "ways",
    "months",
    "monthly",
    "departments",
    "teams",
    "colleagues",
    "partners",
    "teile",
    "personen",
    "uptime",
    "invoiced",
    "billed",
    "cost",
    "costs",
    "costing",
    "year",
    "years",
    "month",
    "time",
    "number",
    "figure",
    "figures",
    "paid",
    "pays",
    "runs",
    "run",
    "need",
    "brauche",
    "brauchen",
    "ergibt",
    "ergeben",
    "liegen",
    "beträgt",
    "betragen",
    "kostet",
    "kosten",
    "macht",
    "hotel",
    "quick",
    "bill",
    "hoch",
    "font",
    "fait",
    "hay",
    "coûte",
    "cuesta",
    "suma",
    "somme",
    "centres",
    "centers",
    "branches",
    "offices",
    "employees",
    "accounts",
    "projects",
    "sites",
    "regions",
    "shops",
    "stores",
    "entities",
    "subsidiaries",
    "tenants",
    "owners",
    "shareholders",
    "friends",
    "persons",
    "groups",
    "units",
    "workers",
    "worker",
    "tool",
    "bus",
    "lorry",
    "boat",
    "building",
    "tractor",
    "phone",
    "furniture",
    "desk",
    "lease",
    "policy",
    "results",
    "result",
    "earned",
    "got",
    "gave",
    "quoted",
    "quote",
    "offered",
    "someone",
    "somebody",
    "exact",
    "exactly",
    "kostenstellen",
    "abteilungen",
    "filialen",
    "mitarbeiter",
    "gesellschafter",
    "projekte",
    "standorte",
    "anlage",
    "fahrzeug",
    "lkw",
    "auto",
    "kunde",
    "kunden",
    "lieferant",
    "auftrag",
    "lohn",
    "entfällt",
    "entfallen",
    "bekommt",
    "erhält",
    "anschaffung",
    "drucker",
    "wohnung",
    "mieter",
    "firmen",
    "ändert",
    "équipes",
    "services",
    "départements",
    "équipe",
    "personnes",
    "associés",
    "équipement",
    "véhicule",
    "ordinateur",
    "voiture",
    "client",
    "fournisseur",
    "contrat",
    "abonnement",
    "verse",
    "versé",
    "obtient",
    "reçoit",
    "vaut",
    "equipos",
    "departamentos",
    "centros",
    "personas",
    "socios",
    "máquina",
    "equipo",
    "vehículo",
    "ordenador",
    "coche",
    "cliente",
    "proveedor",
    "contrato",
    "suscripción",
    "recibe",
    "obtiene",
    "vale",
    "paga",
    "dura",
    "goes",
    "sheet",
    "following",
    "favour",
    "favor",
    "urgent",
    "payroll",
    "made",
    "desks",
    "presentation",
    "freelancer",
    "warehouse",
    "forklift",
    "due",
    "hour",
    "letter",
    "written",
    "ends",
    "standard",
    "business",
    "produit",
    "miete",
    "planung",
    "owed",
    "urgente",
    "dringend",
    "email",
    "mail",
    "report",
    "slide",
    "spreadsheet",
    "excel",
    "tabelle",
    "präsentation",
    "présentation",
    "tableau",
    "informe",
    "hoja",
    "month-end",
    "books",
    "bücher",
    "chair",
    "table",
    "lamp",
];

impl Task {
    /// The words that neither the function nor the grammar explains, and that do not only name what it is about.
    pub(super) fn unknown_words(&self, function: &Function, explained: &[Range<usize>]) -> Vec<&str> {
        let lower = &self.reader.lower;
        let clauses = self.bearing_clauses(explained);
        let by_place = depends_on_a_place(function);
        let mut unknown = Vec::new();
        // Where the last noun that is only a name ended: "the Hamburg warehouse" is one.
        let mut name_end = None;
        // Where an adjective after a German article ended: "die anteilige Miete".
        let mut adjective_end = None;
        let mut before: Option<(Range<usize>, &str)> = None;
        for (place, word) in words_of(lower) {
            let touches = |end: usize| lower.get(end..place.start).is_some_and(|gap| gap.trim().is_empty());
            let introduced =
                before.as_ref().is_some_and(|(last, word)| touches(last.end) && introduces(word))
                    || name_end.is_some_and(touches)
                    || adjective_end.is_some_and(touches);
            let spelled = is_within(&place, explained) || word.contains(char::is_numeric);
            let located = by_place && before.as_ref().is_some_and(|(_, word)| LOCATING.contains(word));
            let named = self.is_name(&place) && !located;
            if !spelled && is_within(&place, &clauses) && !self.is_harmless(word) && !named {
                match introduced && !located && !TERMS.contains(word) {
                    true => name_end = Some(place.end),
                    false => unknown.push(word),
                }
            }
            if introduced && GERMAN_ENDINGS.iter().any(|ending| word.ends_with(ending)) {
                adjective_end = Some(place.end);
            }
            before = Some((place, word));
        }
        unknown
    }

    /// The clauses that bear on a figure. "Only the number, please" has nothing of the calculation.
    fn bearing_clauses(&self, explained: &[Range<usize>]) -> Vec<Range<usize>> {
        let clauses = self.reading.acts.iter().map(|act| act.span.start..act.span.end);
        clauses
            .filter(|clause| explained.iter().any(|one| clause.start <= one.start && one.end <= clause.end))
            .collect()
    }

    /// Whether a word changes no figure: grammar, courtesy, words that ask, and what business is about.
    pub(super) fn is_harmless(&self, word: &str) -> bool {
        let word = word.trim_end_matches("'s").trim_matches(['\'', '-']);
        let asks = ASKING.iter().any(|words| words.split(' ').any(|one| one == word))
            || currency_named(word).is_some();
        word.is_empty() || HARMLESS.contains(&word) || asks || is_grammar(word)
    }

    fn is_name(&self, place: &Range<usize>) -> bool {
        let words = self.reading.acts.iter().flat_map(|act| &act.words);
        words.filter(|word| word.role == Role::Name).any(|word| {
            place.start <= word.span.start && word.span.end <= place.end
                || word.span.start <= place.start && place.end <= word.span.end
        })
    }
}

/// Whether the word is grammar, or a common word that no calculation uses.
fn is_grammar(word: &str) -> bool {
    Language::ALL.iter().any(|language| {
        let lexicon = lexicon(*language);
        let calculates = || lexicon.verb(word).iter().any(|form| CALCULATING.contains(&form.lemma.as_str()));
        lexicon.is_function_word(word)
            || lexicon.is_courtesy(word)
            || calculates()
            || (lexicon.knows(word) && !TERMS.contains(word))
    })
}

/// Whether whose rule or calendar applies is a matter of where: "overtime in Texas".
fn depends_on_a_place(function: &Function) -> bool {
    let chooses = |one: &Parameter| matches!(one.kind, Kind::Choice(_)) && one.name != "rounding";
    function.parameters.iter().any(chooses)
}

/// Words before a place.
const LOCATING: &[&str] = &["in", "under", "at", "within", "bei", "nach", "laut", "en", "à", "dans", "según"];

/// Whether a noun follows this word.
fn introduces(word: &str) -> bool {
    DETERMINERS.contains(&word)
}

const DETERMINERS: &[&str] = &[
    "a", "an", "the", "my", "our", "your", "their", "his", "her", "this", "that", "for", "of", "ein", "eine",
    "einen", "einem", "einer", "eines", "der", "die", "das", "den", "dem", "des", "unser", "unsere",
    "unserer", "unseren", "mein", "meine", "für", "von", "le", "la", "les", "un", "une", "du", "des",
    "notre", "pour", "de", "el", "los", "las", "una", "del", "nuestro", "nuestra", "para",
];

/// The endings of an adjective before a German noun.
const GERMAN_ENDINGS: &[&str] =
    &["ige", "igen", "iger", "liche", "lichen", "licher", "are", "aren", "ale", "alen"];

/// The words of all shipped functions. In a task for another function they mean something.
static TERMS: LazyLock<BTreeSet<&'static str>> = LazyLock::new(|| {
    let functions = catalogue::functions().iter();
    let phrases = functions.flat_map(|function| {
        let parameters = function.parameters.iter();
        let of_parameters = parameters.flat_map(|one| one.near.iter().chain(one.labels).chain(one.zero));
        let results = function.asked.results.iter().flat_map(|result| result.words);
        function.words.iter().chain(of_parameters).chain(results).map(|word| plain(word))
    });
    let words = phrases.flat_map(|phrase| phrase.split([' ', '*']));
    words.filter(|word| word.chars().count() > 3).collect()
});
