//! Whether a text of SQL plainly reads: one SELECT that cannot change anything, in any dialect.
//!
//! A parser decides what the statement is. Before it, the text is cut into tokens that every dialect reads alike, and
//! what one dialect would read otherwise (comments, escapes, unknown functions) is no plain question.

use std::ops::ControlFlow;

use sqlparser::ast::{ObjectName, Query, Select, SetExpr, Statement, Visit as _, Visitor};
use sqlparser::dialect::GenericDialect;
use sqlparser::parser::Parser;

/// The longest text that is looked at, in bytes.
pub const SQL_BYTES_MAX: usize = 64 * 1024;
/// How deep the parser goes into brackets, subqueries and functions. It has one stack, and each of its steps takes much of it.
const DEPTH_MAX: usize = 12;
/// The most tokens of a statement.
const TOKENS_MAX: usize = 1_000;
/// The most operators of a statement. A chain of them is a tree as deep, and the parser has one stack for it.
const OPERATORS_MAX: usize = 100;

const _: () = assert!(OPERATORS_MAX < TOKENS_MAX);

/// Words that make a parsed statement deeper.
const OPERATORS: &[&str] =
    &["and", "between", "case", "except", "in", "intersect", "is", "like", "not", "or", "union"];

/// First words of statements. One dialect takes them for the next statement where others read an alias:
/// `SELECT 1 FROM t SHUTDOWN`.
const STATEMENTS: &[&str] = &[
    "alter",
    "backup",
    "begin",
    "break",
    "bulk",
    "checkpoint",
    "close",
    "commit",
    "continue",
    "create",
    "dbcc",
    "deallocate",
    "declare",
    "delete",
    "deny",
    "disable",
    "drop",
    "enable",
    "exec",
    "execute",
    "goto",
    "grant",
    "insert",
    "kill",
    "merge",
    "open",
    "print",
    "raiserror",
    "readtext",
    "receive",
    "reconfigure",
    "restore",
    "return",
    "revert",
    "revoke",
    "rollback",
    "save",
    "set",
    "shutdown",
    "throw",
    "truncate",
    "update",
    "updatetext",
    "use",
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
    "replace",
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
    text.len() <= SQL_BYTES_MAX
        && tokens(text).is_some_and(|tokens| is_question(&tokens))
        && is_one_query(text)
}

/// Whether the parser finds one query, and nothing in it that stores, locks or changes something.
fn is_one_query(text: &str) -> bool {
    let parser = Parser::new(&GenericDialect {}).with_recursion_limit(DEPTH_MAX).try_with_sql(text);
    match parser.and_then(|mut parser| parser.parse_statements()).as_deref() {
        Ok([statement]) => statement.visit(&mut OnlyQueries { statements: 0 }).is_continue(),
        Ok(_) | Err(_) => false,
    }
}

/// Breaks off at everything that is not plainly a query.
struct OnlyQueries {
    statements: usize,
}

impl Visitor for OnlyQueries {
    type Break = ();

    fn pre_visit_statement(&mut self, statement: &Statement) -> ControlFlow<()> {
        self.statements += 1;
        // A statement within the query changes something: `WITH x AS (DELETE …)`.
        go_on(matches!(statement, Statement::Query(_)) && self.statements == 1)
    }

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        // Every field is named, so that a new one is looked at.
        let Query {
            with: _,
            body,
            order_by: _,
            limit_clause: _,
            fetch: _,
            locks,
            for_clause,
            settings,
            format_clause,
            pipe_operators,
        } = query;
        let plain = locks.is_empty() && for_clause.is_none() && settings.is_none();
        let body = matches!(**body, SetExpr::Select(_) | SetExpr::Query(_) | SetExpr::SetOperation { .. });
        go_on(plain && body && format_clause.is_none() && pipe_operators.is_empty())
    }

    fn pre_visit_select(&mut self, select: &Select) -> ControlFlow<()> {
        go_on(select.into.is_none())
    }

    fn pre_visit_relation(&mut self, relation: &ObjectName) -> ControlFlow<()> {
        // A table in single quotes is a file or an address to some.
        let text = |part: &sqlparser::ast::ObjectNamePart| {
            part.as_ident().is_none_or(|ident| ident.quote_style == Some('\''))
        };
        go_on(!relation.0.iter().any(text))
    }
}

fn go_on(plain: bool) -> ControlFlow<()> {
    if plain { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
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
        if tokens.len() > TOKENS_MAX {
            return None;
        }
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
        && tokens.iter().filter(|token| is_operator(token)).count() <= OPERATORS_MAX
        && all_plain(tokens)
}

fn is_word(token: &Token, wanted: &str) -> bool {
    matches!(token, Token::Word(word) if word == wanted)
}

fn is_operator(token: &Token) -> bool {
    match token {
        Token::Word(word) => OPERATORS.contains(&word.as_str()),
        Token::Sign(sign) => !matches!(sign, ',' | '.' | '(' | ')' | ';'),
        Token::Quoted | Token::Number => false,
    }
}

fn all_plain(tokens: &[Token]) -> bool {
    let next = tokens.iter().skip(1).map(Some).chain([None]);
    tokens.iter().zip(next).all(|(token, next)| {
        let opens = next == Some(&Token::Sign('('));
        match token {
            Token::Word(word) => {
                let known = FUNCTIONS.contains(&word.as_str()) || GRAMMAR.contains(&word.as_str());
                !STATEMENTS.contains(&word.as_str()) && (!opens || known)
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
        Token::Sign('(') => Some(depth + 1),
        Token::Sign(')') => depth.checked_sub(1),
        Token::Word(_) | Token::Quoted | Token::Number | Token::Sign(_) => Some(depth),
    });
    depth == Some(0)
}

#[cfg(test)]
#[path = "sql_tests.rs"]
mod tests;
