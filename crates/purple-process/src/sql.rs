//! Whether a text of SQL plainly reads: one SELECT that cannot change anything, in any dialect.
//!
//! Not a parser. It knows the words and signs of plain questions, and what it does not know is no plain question.

/// The longest text that is looked at, in bytes.
pub const SQL_BYTES_MAX: usize = 64 * 1024;
/// The deepest brackets.
const DEPTH_MAX: usize = 64;

/// Words that stand in no plain question, wherever they stand.
const FOREIGN: &[&str] = &[
    "abort",
    "alter",
    "analyze",
    "attach",
    "backup",
    "begin",
    "bulk",
    "call",
    "checkpoint",
    "cluster",
    "comment",
    "commit",
    "copy",
    "create",
    "dbcc",
    "deallocate",
    "declare",
    "delete",
    "deny",
    "detach",
    "disable",
    "discard",
    "do",
    "drop",
    "dumpfile",
    "enable",
    "exec",
    "execute",
    "explain",
    "export",
    "for",
    "goto",
    "grant",
    "handler",
    "import",
    "insert",
    "install",
    "into",
    "kill",
    "listen",
    "load",
    "lock",
    "merge",
    "notify",
    "optimize",
    "outfile",
    "pragma",
    "prepare",
    "print",
    "procedure",
    "raiserror",
    "reassign",
    "reconfigure",
    "refresh",
    "reindex",
    "release",
    "rename",
    "repair",
    "replace",
    "reset",
    "restore",
    "returning",
    "revert",
    "revoke",
    "rollback",
    "savepoint",
    "security",
    "set",
    "show",
    "shutdown",
    "start",
    "throw",
    "truncate",
    "unlisten",
    "unlock",
    "update",
    "updatetext",
    "upsert",
    "use",
    "vacuum",
    "waitfor",
    "while",
    "writetext",
];

/// Words that may stand before a bracket: of the language itself.
const GRAMMAR: &[&str] = &[
    "all",
    "and",
    "any",
    "as",
    "between",
    "by",
    "case",
    "distinct",
    "else",
    "except",
    "exists",
    "filter",
    "from",
    "having",
    "in",
    "intersect",
    "is",
    "join",
    "lateral",
    "like",
    "limit",
    "not",
    "offset",
    "on",
    "or",
    "over",
    "select",
    "some",
    "then",
    "union",
    "using",
    "values",
    "when",
    "where",
    "within",
];

/// Functions that only calculate.
const FUNCTIONS: &[&str] = &[
    "abs",
    "array_agg",
    "avg",
    "cast",
    "ceil",
    "ceiling",
    "char_length",
    "coalesce",
    "concat",
    "concat_ws",
    "count",
    "cume_dist",
    "date",
    "date_part",
    "date_trunc",
    "datediff",
    "datetime",
    "day",
    "dense_rank",
    "extract",
    "first_value",
    "floor",
    "format",
    "greatest",
    "group_concat",
    "hex",
    "iif",
    "ifnull",
    "instr",
    "isnull",
    "json_array_length",
    "json_extract",
    "julianday",
    "lag",
    "last_value",
    "lead",
    "least",
    "left",
    "length",
    "lower",
    "lpad",
    "ltrim",
    "max",
    "median",
    "min",
    "mod",
    "month",
    "ntile",
    "nullif",
    "nvl",
    "percent_rank",
    "position",
    "power",
    "printf",
    "quote",
    "rank",
    "right",
    "round",
    "row_number",
    "rpad",
    "rtrim",
    "sign",
    "sqrt",
    "strftime",
    "string_agg",
    "strpos",
    "substr",
    "substring",
    "sum",
    "time",
    "to_char",
    "to_date",
    "total",
    "trim",
    "trunc",
    "typeof",
    "unicode",
    "upper",
    "year",
];

/// Whether this is one SELECT that only reads, and nothing else. What is in doubt is not.
pub fn plainly_reads(text: &str) -> bool {
    text.len() <= SQL_BYTES_MAX && tokens(text).is_some_and(|tokens| is_question(&tokens))
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    /// A name or a word of the language, in lower case.
    Word(String),
    /// Something in quotes: a text, or a name.
    Quoted,
    Number,
    Sign(char),
}

/// The tokens; `None` where dialects read a text differently, or something has no place in a plain question.
fn tokens(text: &str) -> Option<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let taken = match first {
            ' ' | '\t' | '\n' | '\r' => 1,
            'a'..='z' | 'A'..='Z' | '_' => {
                let word = leading(rest, |c| c.is_ascii_alphanumeric() || c == '_');
                tokens.push(Token::Word(word.to_ascii_lowercase()));
                // A word right before a quote is the prefix of a text, with escapes of its own.
                let after = rest.get(word.len()..)?;
                if after.starts_with(['\'', '"']) {
                    return None;
                }
                word.len()
            }
            '0'..='9' => {
                let number = leading(rest, |c| c.is_ascii_digit() || c == '.');
                let after = rest.get(number.len()..)?;
                // `1e5` and `0x1f` are numbers to some and names to others.
                if after.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
                    return None;
                }
                tokens.push(Token::Number);
                number.len()
            }
            '\'' | '"' => {
                tokens.push(Token::Quoted);
                quoted(rest, first)?
            }
            ',' | '.' | '*' | '(' | ')' | '+' | '-' | '/' | '%' | '=' | '<' | '>' | '!' | '|' | '?' | ';' => {
                let next = rest.get(1..)?.chars().next();
                // Two of these begin a comment, and some dialects run what is in one.
                if matches!((first, next), ('-', Some('-')) | ('/', Some('*'))) {
                    return None;
                }
                tokens.push(Token::Sign(first));
                1
            }
            _ => return None,
        };
        rest = rest.get(taken..)?;
    }
    Some(tokens)
}

fn leading(text: &str, belongs: impl Fn(char) -> bool) -> &str {
    let end = text.find(|c| !belongs(c)).unwrap_or(text.len());
    text.get(..end).unwrap_or_default()
}

/// How many bytes are in the quotes that begin here, the quotes included. A doubled quote is one of the text.
fn quoted(text: &str, quote: char) -> Option<usize> {
    let mut characters = text.char_indices().skip(1).peekable();
    while let Some((at, character)) = characters.next() {
        match character {
            // Some dialects take it for an escape, and others do not.
            '\\' => return None,
            character if character.is_control() => return None,
            character if character == quote && characters.next_if(|(_, next)| *next == quote).is_none() => {
                return Some(at + 1);
            }
            _ => {}
        }
    }
    None
}

fn is_question(tokens: &[Token]) -> bool {
    // One `;` may end it; any other would begin something else.
    let tokens = match tokens {
        [statement @ .., Token::Sign(';')] => statement,
        all => all,
    };
    let begins = matches!(tokens.first(), Some(Token::Word(word)) if word == "select" || word == "with");
    begins
        && tokens.iter().any(|token| is_word(token, "select"))
        && brackets_close(tokens)
        && all_plain(tokens)
}

fn is_word(token: &Token, wanted: &str) -> bool {
    matches!(token, Token::Word(word) if word == wanted)
}

fn all_plain(tokens: &[Token]) -> bool {
    let next = tokens.iter().skip(1).map(Some).chain([None]);
    tokens.iter().zip(next).all(|(token, next)| {
        let opens = next == Some(&Token::Sign('('));
        match token {
            Token::Word(word) => {
                let known = FUNCTIONS.contains(&word.as_str()) || GRAMMAR.contains(&word.as_str());
                !FOREIGN.contains(&word.as_str()) && (!opens || known)
            }
            // A function may have its name in quotes.
            Token::Quoted => !opens,
            Token::Number => true,
            Token::Sign(sign) => *sign != ';',
        }
    })
}

fn brackets_close(tokens: &[Token]) -> bool {
    let depth = tokens.iter().try_fold(0_usize, |depth, token| match token {
        Token::Sign('(') => Some(depth + 1).filter(|depth| *depth <= DEPTH_MAX),
        Token::Sign(')') => depth.checked_sub(1),
        Token::Word(_) | Token::Quoted | Token::Number | Token::Sign(_) => Some(depth),
    });
    depth == Some(0)
}

#[cfg(test)]
#[path = "sql_tests.rs"]
mod tests;
