//! The words with which a task asks for an amount to be shared out.

/// Words that point to equal parts.
#[rustfmt::skip]
pub(super) const SPLITTING: &[&str] = &["aufzuteilen", "zerlege", "zerlegen", "aufgliedern", "gleichmäßig verteilen", 
    "split", "splits", "splitting", "divide", "divides", "divided", "dividing", "divide equally", "share", "shared",
    "share equally", "equal parts", "equal shares", "equally among", "equally between", "teile", "teilen", "aufteilen",
    "aufgeteilt", "verteile", "verteilen", "verteilt", "gleiche teile", "gleichen teilen", "répartis", "répartissez",
    "répartir", "réparti*", "partage", "partagez", "partager", "partagé*", "divise", "divisez", "diviser",
    "parts égales", "dividir", "dividido", "divida", "reparte", "reparta", "repartir", "repartido", "partes iguales",
];

/// Words that point to parts by weight.
#[rustfmt::skip]
pub(super) const ALLOCATING: &[&str] = &["verteilung", "im verhältnis von", "aufzuteilen", "anteilig*", "in proportion", "gewichtet*", "aufteilung", "prozentual*", 
    "allocate", "allocates", "allocated", "allocating", "allocation", "apportion", "apportioned", "distribute",
    "distributed", "distribution", "pro rata", "by weight*", "weights", "split", "splits", "divide", "divided", "share",
    "shared", "ratio", "proportion", "proportions", "in the ratio", "in the proportion", "verteile", "verteilen",
    "verteilt", "teile", "teilen", "aufteilen", "aufgeteilt", "verhältnis", "im verhältnis", "nach gewichten",
    "nach den gewichten", "répartis", "répartissez", "répartir", "réparti*", "partage", "partagez", "partager",
    "dans le rapport", "selon les poids", "au prorata de", "proportions de", "reparte", "reparta", "repartir",
    "repartido", "distribuye", "distribuir", "divide", "en proporción", "en la proporción", "según los pesos",
];

/// Words of a task about equal parts.
#[rustfmt::skip]
pub(super) const EQUALLY: &[&str] = &[
    "over", "across", "among", "between", "into", "unter", "zwischen", "sur", "entre", "equal", "equally", "parts", "add up", "add up exactly", "each", "evenly", "gleich*", "gleichmäßig", "auf",
    "how much is each", "égales", "égal*", "à parts égales", "iguales", "a partes iguales", "teil", "teile",
];

/// Words that contradict equal parts.
#[rustfmt::skip]
pub(super) const UNEQUALLY: &[&str] = &[
    "weight", "weights", "weighted", "ratio", "proportion*", "verhältnis", "gewicht*", "by headcount", "pro rata", "tip",
    "plus", "rapport de", "poids", "prorata", "proporción", "pesos",
];

/// Words of a task about weights.
#[rustfmt::skip]
pub(super) const BY_WEIGHT: &[&str] = &["percent", "prozent", "im", "verhältnis", "zu", "into", "in", "den", "and", "nach", "parts of", "prozentual*", 
    "over", "among", "between", "unter", "zwischen", "sur", "entre", "each", "weights", "weight", "by", "auf", "across", "parts", "proportion", "shares", "headcount", "poids", "pesos",
    "gewichte", "gewichten", "gewicht", "teil", "anteil", "rapport", "proporción",
];

/// Words that contradict weights.
#[rustfmt::skip]
pub(super) const NOT_BY_WEIGHT: &[&str] = &[
    "equal", "equally", "evenly", "plus", "gleichmäßig", "gleiche*", "égales", "également", "iguales",
];

/// Words that ask for all parts.
#[rustfmt::skip]
pub(super) const EACH_PART: &[&str] = &[
    "~each", "~each part", "~every", "~jeder", "~jedes", "~jede", "~chacun", "~chacune", "~chaque", "~cada uno",
    "~cada una", "~cada",
];

/// Words that ask for the largest part.
#[rustfmt::skip]
pub(super) const LARGEST_PART: &[&str] = &[
    "largest part", "largest share", "largest portion", "largest one", "largest piece", "biggest part",
    "biggest share", "biggest portion", "biggest one", "biggest piece", "larger part", "larger share",
    "larger portion", "larger one", "larger piece", "bigger part", "bigger share", "bigger portion", "bigger one",
    "bigger piece", "greatest part", "greatest share", "greatest portion", "greatest one", "greatest piece",
    "größte teil", "größte anteil", "größte betrag", "größere teil", "größere anteil", "größere betrag",
    "größten teil", "größten anteil", "größten betrag", "größeren teil", "größeren anteil", "größeren betrag",
    "plus grande part", "plus grosse part", "part la plus grande", "parte mayor", "mayor parte",
    "parte más grande",
];

/// Words that ask for the smallest part.
#[rustfmt::skip]
pub(super) const SMALLEST_PART: &[&str] = &[
    "smallest part", "smallest share", "smallest portion", "smallest one", "smallest piece", "smaller part",
    "smaller share", "smaller portion", "smaller one", "smaller piece", "least part", "least share",
    "least portion", "least one", "least piece", "kleinste teil", "kleinste anteil", "kleinste betrag",
    "kleinere teil", "kleinere anteil", "kleinere betrag", "kleinsten teil", "kleinsten anteil",
    "kleinsten betrag", "kleineren teil", "kleineren anteil", "kleineren betrag", "plus petite part",
    "part la plus petite", "parte menor", "menor parte", "parte más pequeña",
];

/// Words that ask for the first part.
#[rustfmt::skip]
pub(super) const FIRST_PART: &[&str] = &[
    "first part", "first share", "first portion", "first one", "first piece", "erste teil", "erste anteil",
    "erste betrag", "ersten teil", "ersten anteil", "ersten betrag", "première part", "primera parte",
];

/// Words that ask for the last part.
#[rustfmt::skip]
pub(super) const LAST_PART: &[&str] = &[
    "last part", "last share", "last portion", "last one", "last piece", "letzte teil", "letzte anteil",
    "letzte betrag", "letzten teil", "letzten anteil", "letzten betrag", "dernière part", "última parte",
];
