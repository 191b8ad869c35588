//! The words with which a task asks for value-added tax. A word with `?` counts only where something is asked.

/// Words at an amount that is without tax.
#[rustfmt::skip]
pub(super) const NET_LABELS: &[&str] = &[
    "before sales tax", "vor steuern", "vor mwst", "hors tva", "antes de iva", "antes de impuestos",
    "net", "netto", "ht", "hors taxe*", "excl. vat", "excluding vat", "exclusive of vat", "ex vat",
    "excl. tax", "excluding tax", "before tax", "before vat", "without vat", "plus vat", "zzgl. mwst",
    "ohne mwst", "sin iva", "neto", "netos", "netas", "nettobetrag", "nettopreis", "net price", "net amount",
];

/// Words at an amount that is with tax.
#[rustfmt::skip]
pub(super) const GROSS_LABELS: &[&str] = &[
    "after tax", "after vat", "iva incluida", "tva incluse", "inklusive mwst", "mit mwst",
    "brutos", "brutas", "toutes taxes", "gross", "brutto", "ttc", "incl. vat", "including vat", "inclusive of vat", "incl. tax",
    "including tax", "inkl. mwst", "inklusive mehrwertsteuer", "vat included", "tax included", "con iva",
    "iva incluido", "toutes taxes comprises", "bruto", "bruttobetrag", "bruttopreis", "gross price",
    "gross amount",
];

/// The names of the tax.
#[rustfmt::skip]
pub(super) const TAX_NAMES: &[&str] = &[
    "vat", "value-added tax", "value added tax", "sales tax", "gst", "add tax", "mehrwertsteuer", "mwst",
    "umsatzsteuer", "ust", "tva", "iva", "tax included", "net of tax",
];

/// Words that ask for the tax on a net amount.
#[rustfmt::skip]
pub(super) const ADDED_TAX: &[&str] = &[
    "?vat portion", "?vat share", "?mwst-anteil", "?steueranteil", "?mehrwertsteueranteil", "?montant de tva", "?montant de la tva", "?importe del iva",
    "?vat", "?tax", "?taxes", "?gst", "?sales tax", "?mehrwertsteuer", "?mwst", "?umsatzsteuer", "?ust",
    "?steuer", "?tva", "?iva", "vat amount", "vat on", "tax on", "mwst auf", "mehrwertsteuer auf",
    "ust auf", "tva sur", "iva sobre", "tax amount", "mwst-betrag", "steuerbetrag",
];

/// Words that ask for the tax in a gross amount.
#[rustfmt::skip]
pub(super) const TAX_ASKED: &[&str] = &["~herausrechnen", "~heraus", "~enthalten*", "?enthaltene umsatzsteuer", "?enthaltene mehrwertsteuer", "?enthaltene mwst", "?darin enthaltene umsatzsteuer", "do contain", "do they contain", 
    "?vat portion", "?vat share", "?vat part", "?mwst-anteil", "?steueranteil", "?mehrwertsteueranteil", "?montant de tva", "?montant de la tva", "?importe del iva", "?part de tva",
    "?vat", "?tax", "?taxes", "?gst", "?sales tax", "?mehrwertsteuer", "?mwst", "?umsatzsteuer", "?ust",
    "?steuer", "?tva", "?iva", "vat amount", "tax amount", "mwst-betrag", "steuerbetrag",
];

/// Words that ask for the net amount.
#[rustfmt::skip]
pub(super) const NET_ASKED: &[&str] = &[
    "?net", "?net amount", "?net price", "?netto", "?nettobetrag", "?montant ht", "?neto",
    "?base imponible", "?nettopreis", "?importe neto",
];

/// Words that ask for what is left without the tax.
#[rustfmt::skip]
pub(super) const EXTRACTED_NET: &[&str] = &["brutto netto", "gross net", "ttc ht", "bruto neto", 
    "?net figure", "?importe sin iva", "?precio sin iva", "?montant hors taxes", "?prix ht", "?nettowert",
    "?net", "?net amount", "?net price", "?netto", "?nettobetrag", "?montant ht", "?neto",
    "?base imponible", "?nettopreis", "?importe neto", "remove", "strip", "amount excluding", "price excluding",
    "amount without", "price without", "betrag ohne", "preis ohne",
];

/// Words that ask for a net amount with its tax.
#[rustfmt::skip]
pub(super) const ADDED_GROSS: &[&str] = &["!aufschlagen", "!aufgeschlagen", "!draufschlagen", "!draufrechnen", "!dazurechnen", "!hinzurechnen", "!addieren", "!addiere", "netto brutto", "net gross", "ht ttc", "neto bruto", 
    "vat on top", "tax on top", "mwst on top", "vat on it", "sales tax on top",
    "?gross total", "?importe con iva", "?precio con iva", "?precio total", "?montant total", "?prix ttc", "?endpreis", "gross for", "gross price for", "gross amount for", "brutto für", "bruttopreis für", "bruttobetrag für", "ttc pour", "montant ttc pour", "prix ttc pour", "importe con iva de", "precio con iva de",
    "?gross", "?gross amount", "?gross price", "?brutto", "?bruttobetrag", "?total", "?ttc", "?montant ttc",
    "?bruttopreis", "price including", "amount including", "total including", "net including", "net incl",
    "netto inklusive", "netto inkl", "neto con", "in total", "with", "mit", "avec", "con", "plus", "add", "adding", "on top",
    "zuzüglich", "zzgl", "más", "ajouter", "ajoute", "añade", "añadir", "total amount", "total price",
    "altogether", "insgesamt",
];

/// Words that ask for the gross amount.
#[rustfmt::skip]
pub(super) const GROSS_ASKED: &[&str] = &[
    "?gross total",
    "?gross", "?gross amount", "?gross price", "?brutto", "?bruttobetrag", "?total", "?ttc", "?montant ttc",
    "?bruttopreis", "in total", "total amount", "total price", "altogether", "insgesamt",
];

/// Words that show that the tax is added.
#[rustfmt::skip]
pub(super) const ADD_EVIDENCE: &[&str] = &["aufgeschlagen", "draufschlagen", "draufrechnen", "dazurechnen", "hinzurechnen", "addieren", "addiere", "netto brutto", "net gross", "ht ttc", "neto bruto", 
    "gross for", "gross price for", "gross amount for", "brutto für", "bruttopreis für", "bruttobetrag für", "ttc pour", "montant ttc pour", "prix ttc pour", "importe con iva de", "precio con iva de",
    "sales tax", "plus", "add", "adding", "added", "on top", "on", "auf", "zuzüglich", "zzgl", "zuzügl",
    "aufschlagen", "sur", "ajouter", "ajoute", "más", "añadir", "añade", "sobre",
];

/// Words that contradict it.
#[rustfmt::skip]
pub(super) const ADD_UNLESS: &[&str] = &["inclus*", "inside", "hay en", "drin", "herausrechnen", "heraus", "contenida", "contenue", "do contain", 
    "withh*", "vat in", "vat is in", "tax in", "mwst in", "mehrwertsteuer in", "extract*", "included",
    "includes", "including", "incl", "inclusive", "inkl", "inklusive", "enthält", "enthalten*", "steckt",
    "stecken", "contains", "contained", "contain", "contient", "contiene", "out of", "remove", "strip",
    "incluido", "incluye", "from", "subtract", "deduct", "total of", "total amount of", "receipt",
    "quittung", "gesamtbetrag von", "endbetrag",
];

/// Words that show that the tax is in the amount.
#[rustfmt::skip]
pub(super) const EXTRACT_EVIDENCE: &[&str] = &["inclus*", "inside", "hay en", "drin", "brutto netto", "gross net", "ttc ht", "bruto neto", "enthaltene*", 
    "take out", "heraus", "incluida", "incluidos",
    "extract*", "included", "includes", "including", "incl", "inclusive", "inkl", "inklusive", "enthält",
    "enthalten*", "steckt", "stecken", "contains", "contained", "contain", "contient", "contenue",
    "contiene", "out of", "vat in", "vat is in", "tax in", "tax is in", "from", "herausrechnen", "remove",
    "strip", "incluido", "incluye", "dont", "heraus",
];

/// Words that contradict it.
#[rustfmt::skip]
pub(super) const EXTRACT_UNLESS: &[&str] = &["aufschlagen", "aufgeschlagen", "draufschlagen", "draufrechnen", "dazurechnen", "hinzurechnen", "addieren", "addiere", 
    "withh*", "plus", "add", "adding", "on top", "zuzüglich", "zzgl", "más", "excluding", "exclusive",
    "excl", "exkl",
];
