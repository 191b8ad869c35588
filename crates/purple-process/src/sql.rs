//! Whether a text of SQL plainly reads: one SELECT that cannot change anything, in any dialect.
//!
//! A parser decides what the statement is. Before it, the text is cut into tokens that every dialect reads alike, and
//! what one dialect would read otherwise (comments, escapes, unknown functions) is no plain question.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use sqlparser::ast::{
    Expr, Function, FunctionArguments, Ident, ObjectName, Query, Select, SetExpr, Statement, TableFactor,
    Visit as _, Visitor,
};
use sqlparser::dialect::GenericDialect;
use sqlparser::parser::Parser;

use crate::words;
use vocabulary::{
    BEFORE_OPERAND, BEHIND_OPERAND, BRACKETLESS, COLUMN_ENDINGS, EMPTY_TABLES, FUNCTIONS, GRAMMAR, NO_NAMES,
    OPERATORS, SEQUENCES, STATEMENTS,
};

mod vocabulary;

/// The longest text that is looked at, in bytes.
pub const SQL_BYTES_MAX: usize = 64 * 1024;
/// How deep the parser goes into brackets, subqueries and functions. It has one stack, and each of its steps takes much of it.
const DEPTH_MAX: usize = 12;
/// The most tokens of a statement.
const TOKENS_MAX: usize = 1_000;
/// The most operators of a statement. A chain of them is a tree as deep, and the parser has one stack for it.
const OPERATORS_MAX: usize = 100;

const _: () = assert!(OPERATORS_MAX < TOKENS_MAX);

/// The longest name of a table or a column that is given without `AS`. What begins a statement is longer, but for
/// these words.
const SHORT_NAME_MAX: usize = 3;

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
        Ok([statement]) => {
            let mut only = OnlyQueries::default();
            statement.visit(&mut only).is_continue() && only.qualifiers_are_tables()
        }
        Ok(_) | Err(_) => false,
    }
}

/// Breaks off at everything that is not plainly a query.
#[derive(Default)]
struct OnlyQueries {
    statements: usize,
    /// What columns can be of: tables, and other names for them.
    tables: BTreeSet<String>,
    /// What stands before the last dot of a column.
    qualifiers: Vec<Vec<String>>,
}

impl OnlyQueries {
    /// Whether every qualified name is the column of a table here, and no function of a package.
    fn qualifiers_are_tables(&self) -> bool {
        self.qualifiers.iter().all(|before| before.iter().any(|part| self.tables.contains(part)))
    }

    fn table(&mut self, ident: &Ident) {
        self.tables.insert(ident.value.to_lowercase());
    }

    fn factor(&mut self, factor: &TableFactor) -> bool {
        // Every field is named, so that a new one is looked at.
        let (plain, alias) = match factor {
            TableFactor::Table {
                name,
                alias,
                args,
                with_hints,
                version,
                with_ordinality,
                partitions,
                json_path,
                sample,
                index_hints,
            } => {
                if let Some(last) = name.0.last().and_then(|part| part.as_ident()) {
                    self.table(last);
                }
                let bare = args.is_none() && with_hints.is_empty() && version.is_none() && !with_ordinality;
                let whole = partitions.is_empty() && json_path.is_none() && sample.is_none();
                (bare && whole && index_hints.is_empty(), alias)
            }
            TableFactor::Derived { lateral: _, subquery: _, alias, sample } => (sample.is_none(), alias),
            TableFactor::NestedJoin { table_with_joins: _, alias } => (true, alias),
            _ => return false,
        };
        if let Some(alias) = alias {
            self.table(&alias.name);
        }
        plain
    }
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
            with,
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
        if let Some(with) = with {
            with.cte_tables.iter().for_each(|table| self.table(&table.alias.name));
        }
        let plain = locks.is_empty() && for_clause.is_none() && settings.is_none();
        let body = matches!(**body, SetExpr::Select(_) | SetExpr::Query(_) | SetExpr::SetOperation { .. });
        go_on(plain && body && format_clause.is_none() && pipe_operators.is_empty())
    }

    fn pre_visit_select(&mut self, select: &Select) -> ControlFlow<()> {
        // Without a table there are no columns: what looks like one is a function.
        let empty = select.from.iter().all(|from| {
            let name = match &from.relation {
                TableFactor::Table { name, .. } => name.0.last().and_then(|part| part.as_ident()),
                _ => None,
            };
            name.is_some_and(|name| EMPTY_TABLES.contains(&name.value.to_lowercase().as_str()))
        });
        let named = empty && select.projection.visit(&mut NoColumns).is_break();
        go_on(select.into.is_none() && !named)
    }

    fn pre_visit_relation(&mut self, relation: &ObjectName) -> ControlFlow<()> {
        // A table in single quotes, or whose name is a path or an address, is a file or an address to some.
        let plain = |ident: &Ident| {
            let character = |one: char| one.is_alphanumeric() || matches!(one, '_' | ' ' | '-' | '$');
            ident.quote_style != Some('\'')
                && ident.value.chars().all(character)
                && !ident.value.to_lowercase().starts_with("pragma_")
        };
        go_on(relation.0.iter().all(|part| part.as_ident().is_some_and(plain)))
    }

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<()> {
        go_on(self.factor(factor))
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        match expr {
            Expr::Function(function) => go_on(is_known(function)),
            Expr::Identifier(ident) => go_on(is_column(ident)),
            Expr::CompoundIdentifier(parts) => {
                let Some((column, before)) = parts.split_last() else { return go_on(false) };
                self.qualifiers.push(before.iter().map(|part| part.value.to_lowercase()).collect());
                go_on(is_column(column))
            }
            _ => go_on(true),
        }
    }
}

/// Whether a function is one that only calculates, under its own name.
fn is_known(function: &Function) -> bool {
    let [part] = function.name.0.as_slice() else { return false };
    let Some(ident) = part.as_ident().filter(|ident| ident.quote_style.is_none()) else { return false };
    let name = ident.value.to_lowercase();
    match function.args {
        FunctionArguments::None => BRACKETLESS.contains(&name.as_str()),
        FunctionArguments::Subquery(_) | FunctionArguments::List(_) => FUNCTIONS.contains(&name.as_str()),
    }
}

/// Whether a name can be that of a column. Some dialects call a function by such a name: `c.purge_customer`.
fn is_column(ident: &Ident) -> bool {
    let words = words::split(&ident.value);
    let name: Vec<&str> = words.iter().map(String::as_str).collect();
    let about = name.last().is_some_and(|last| words::in_table(COLUMN_ENDINGS, last).is_some());
    let changes = name.len() > 1 && name.first().is_some_and(|first| words::only_changes(first));
    !SEQUENCES.contains(&ident.value.to_lowercase().as_str()) && (!changes || about)
}

/// Breaks off at the name of a column.
struct NoColumns;

impl Visitor for NoColumns {
    type Break = ();

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        let text = |ident: &Ident| ident.quote_style == Some('"') && !ident.value.contains(['(', '.']);
        match expr {
            Expr::Identifier(ident) => go_on(text(ident)),
            Expr::CompoundIdentifier(_) => go_on(false),
            _ => go_on(true),
        }
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
        && names_are_plain(tokens)
}

/// Whether every name that is given without `AS` is short and no word that begins a statement, and every function
/// stands alone: not behind a dot.
fn names_are_plain(tokens: &[Token]) -> bool {
    let mut cases = 0_usize;
    for (at, token) in tokens.iter().enumerate() {
        let Token::Word(word) = token else { continue };
        let before = at.checked_sub(1).and_then(|at| tokens.get(at));
        let called = tokens.get(at + 1) == Some(&Token::Sign('('));
        if called && before == Some(&Token::Sign('.')) {
            return false;
        }
        match word.as_str() {
            "case" => cases += 1,
            "end" => {
                let Some(left) = cases.checked_sub(1) else { return false };
                cases = left;
            }
            _ => {}
        }
        // `WITH a AS (…) SELECT`.
        let query = word == "select" && before == Some(&Token::Sign(')'));
        let named = before.is_some_and(ends_operand) && !query && !BEHIND_OPERAND.contains(&word.as_str());
        if named && (word.len() > SHORT_NAME_MAX || NO_NAMES.contains(&word.as_str())) {
            return false;
        }
    }
    cases == 0
}

/// Whether a name may stand behind this: a table, a column, a value.
fn ends_operand(token: &Token) -> bool {
    match token {
        Token::Word(word) => !BEFORE_OPERAND.contains(&word.as_str()),
        Token::Quoted | Token::Number => true,
        Token::Sign(sign) => matches!(sign, ')' | '*'),
    }
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
