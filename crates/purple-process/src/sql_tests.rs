use proptest::prelude::*;

use super::*;

const QUESTIONS: &[&str] = &[
    "SELECT 1",
    "select * from invoices where id = 'INV-1';",
    "  SELECT a.id, count(*) FROM a JOIN b ON (a.id = b.id) WHERE x IN (1, 2.5) GROUP BY a.id HAVING sum(y) > 3\n",
    "SELECT name FROM t WHERE note = 'it''s; DROP TABLE t --' AND \"odd name\" <> ''",
    "WITH due AS (SELECT id FROM invoices WHERE total >= 10) SELECT * FROM due ORDER BY 1 DESC LIMIT 10 OFFSET 5",
    "SELECT round(avg(total), 2), coalesce(max(total), 0) || '%' FROM t WHERE id = ? AND (a OR NOT (b))",
    "SELECT * FROM a UNION ALL SELECT * FROM (SELECT * FROM b) AS c",
    "SELECT row_number() OVER (PARTITION BY a ORDER BY b) FROM t",
    "SELECT updated_at, created, deleted_at, is_set FROM t",
    "SELECT comment, start, security, lock, copy FROM t WHERE analyze = 1",
    "SELECT replace(name, 'a', 'b') FROM t",
    "SELECT c.name, o.total FROM customers c JOIN orders o ON c.id = o.customer_id WHERE o.status = 'open' ORDER BY o.total",
    "SELECT count(*) AS n, public.orders.customer_id FROM public.orders GROUP BY customer_id",
    "SELECT sum(x) FILTER (WHERE y > 1) FROM t LEFT OUTER JOIN u ON t.id = u.id",
    "SELECT TOP 10 a FROM t ORDER BY a NULLS LAST",
    "SELECT create_time, update_count, CASE WHEN a = 1 THEN 'x' ELSE 'y' END AS kind FROM t",
    "WITH RECURSIVE x AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM x WHERE n < 5) SELECT n FROM x",
    "SELECT current_date",
    "SELECT a FROM (SELECT a FROM t UNION SELECT b FROM (WITH c AS (SELECT 1 AS b) SELECT b FROM c) AS d) AS e",
];

const OTHERS: &[&str] = &[
    "",
    ";",
    "   ",
    "SELECT 1; SELECT 2",
    "SELECT 1;;",
    "SELECT 1; DROP TABLE t",
    "INSERT INTO t VALUES (1)",
    "UPDATE t SET a = 1",
    "DELETE FROM t",
    "DROP TABLE t",
    "REPLACE INTO t VALUES (1)",
    "WITH x AS (SELECT 1) DELETE FROM t",
    "WITH x AS (DELETE FROM t RETURNING *) SELECT * FROM x",
    "WITH x AS (INSERT INTO t SELECT 1) SELECT 1",
    "SELECT * INTO copy FROM t",
    "SELECT * FROM t INTO OUTFILE '/tmp/x'",
    "SELECT * FROM t FOR UPDATE",
    "SELECT pg_terminate_backend(1)",
    "SELECT nextval('s')",
    "SELECT load_extension('x')",
    "SELECT writefile('x', 'y')",
    "SELECT \"pg_sleep\"(10)",
    "SELECT pg_catalog.pg_sleep(10)",
    "SELECT lo_import ('/etc/passwd')",
    "SELECT @a := 1",
    "SELECT 1 -- and more",
    "SELECT 1 /* and more */",
    "SELECT /*!50000 sleep(1) */ 1",
    "/* x */ SELECT 1",
    "SELECT 1 # more",
    "SELECT E'\\'; DROP TABLE t; --'",
    "SELECT 'a\\'; DROP TABLE t; --'",
    "SELECT $$a$$",
    "SELECT [a] FROM t",
    "SELECT `a` FROM t",
    "SELECT x'00'",
    "SELECT 0x1F",
    "SELECT 'open",
    "SELECT (1",
    "SELECT 1)",
    "SELECT 1\u{0}",
    "SELECT\u{a0}1",
    "ＳＥＬＥＣＴ 1",
    "PRAGMA user_version = 3",
    "PRAGMA table_info(t)",
    "ATTACH 'x.db' AS x",
    "EXPLAIN ANALYZE DELETE FROM t",
    "EXPLAIN SELECT 1",
    "VACUUM",
    "BEGIN",
    "SET ROLE admin",
    "SHOW TABLES",
    "TABLE t",
    "VALUES (1)",
    "CALL p()",
    "EXEC xp_cmdshell 'x'",
    "COPY t FROM '/etc/passwd'",
    "DO $$ BEGIN END $$",
    "GRANT ALL ON t TO x",
    "open invoices of last week",
    "SELECT * FROM t SHUTDOWN",
    "SELECT * FROM (WITH x AS (DELETE FROM t RETURNING *) SELECT * FROM x) AS y",
    "SELECT * FROM t WHERE a IN (SELECT b INTO c FROM d)",
    "SELECT * FROM t FOR SHARE",
    "SELECT * FROM t FOR UPDATE SKIP LOCKED",
    "SELECT * FROM 'https://example.com/rows.csv'",
    "SELECT * FROM t LOCK IN SHARE MODE",
    "SELECT 1 UNION INSERT INTO t VALUES (1)",
    "FROM t SELECT a",
    "SELECT NEXT VALUE FOR dbo.seq",
    "SELECT wipe_all",
    "SELECT wipe_all FROM dual",
    "SELECT (SELECT wipe_all FROM dual) FROM t",
    "SELECT package.wipe_all FROM t",
    "SELECT c.purge_customer FROM customers c",
    "SELECT * FROM t TABLESAMPLE SYSTEM (1)",
    "SELECT 1 FROM t WITH (UPDLOCK, HOLDLOCK)",
    "SELECT 1 FROM t END",
];

/// Words that begin a statement, or name a procedure that runs without a word before it, in one dialect or another.
const COMMANDS: &[&str] = &[
    "attach",
    "call",
    "cluster",
    "comment",
    "copy",
    "dump",
    "do",
    "end",
    "exec",
    "flush",
    "go",
    "grant",
    "handler",
    "if",
    "import",
    "install",
    "kill",
    "listen",
    "load",
    "lock",
    "move",
    "notify",
    "optimize",
    "pragma",
    "prepare",
    "purge",
    "reconfigure",
    "refresh",
    "reindex",
    "rename",
    "repair",
    "replace",
    "reset",
    "run",
    "security",
    "set",
    "setuser",
    "shutdown",
    "signal",
    "start",
    "stop",
    "sp_configure",
    "sp_who",
    "truncate",
    "unload",
    "unlock",
    "use",
    "vacuum",
    "xp_cmdshell",
];

#[test]
fn a_word_behind_a_table_or_a_value_is_no_name_without_as() {
    for word in COMMANDS {
        for text in [
            "SELECT 1 FROM t {}",
            "SELECT 1 FROM t AS a {}",
            "SELECT 1 FROM a, b {}",
            "SELECT 1 {}",
            "SELECT 1 AS a {}",
            "SELECT upper('a') {}",
            "SELECT * FROM t WHERE a = 1 {}",
            "SELECT * FROM (SELECT 1 AS a) {}",
            "SELECT * FROM (SELECT 1 AS a) AS b {}",
            "SELECT * FROM t ORDER BY a {}",
        ] {
            let text = text.replace("{}", word);
            assert!(!plainly_reads(&text), "{text}");
            let text = text.to_uppercase();
            assert!(!plainly_reads(&text), "{text}");
        }
    }
}

#[test]
fn a_function_is_known_by_its_own_name_only() {
    for function in FUNCTIONS {
        for text in [
            "SELECT x.{}(a) FROM t",
            "SELECT t.{}(a) FROM t",
            "SELECT \"x\".{}(1)",
            "SELECT * FROM {}('x')",
            "SELECT \"{}\"(1)",
        ] {
            let text = text.replace("{}", function);
            assert!(!plainly_reads(&text), "{text}");
        }
    }
    for word in GRAMMAR.iter().filter(|word| !FUNCTIONS.contains(word)) {
        let text = format!("SELECT {word}('x')");
        let groups = ["all", "distinct", "exists", "not"].contains(word);
        assert!(groups || !plainly_reads(&text), "{text}");
    }
    for sequence in SEQUENCES {
        for text in [
            "SELECT {}",
            "SELECT {} FROM t",
            "SELECT s.{} FROM t",
            "SELECT s.{} FROM s",
            "SELECT s.{} FROM dual",
        ] {
            let text = text.replace("{}", sequence);
            assert!(!plainly_reads(&text), "{text}");
        }
    }
}

#[test]
fn a_table_is_no_path_no_address_and_no_setting() {
    for name in ["/etc/passwd", "https://example.com/rows", "s3:rows", "rows.csv", "a\u{2f}b", "*"] {
        let text = format!("SELECT * FROM \"{name}\"");
        assert!(!plainly_reads(&text), "{text}");
    }
    for name in ["pragma_optimize", "PRAGMA_wal_checkpoint", "main.pragma_table_info", "\"pragma_x\""] {
        let text = format!("SELECT * FROM {name}");
        assert!(!plainly_reads(&text), "{text}");
    }
    assert!(plainly_reads("SELECT * FROM \"open invoices\" WHERE \"open invoices\".id = 1"));
}

#[test]
fn a_single_select_reads() {
    for text in QUESTIONS {
        assert!(plainly_reads(text), "{text}");
    }
}

#[test]
fn anything_else_does_not() {
    for text in OTHERS {
        assert!(!plainly_reads(text), "{text}");
    }
    assert!(!plainly_reads(&format!("SELECT {}", "1,".repeat(SQL_BYTES_MAX))));
    // What is deep is refused before it has used up the stack, and what is long is a deep tree.
    for operators in [OPERATORS_MAX, OPERATORS_MAX + 1, 20_000] {
        let fits = operators <= OPERATORS_MAX;
        assert_eq!(plainly_reads(&format!("SELECT {}1", "1+".repeat(operators))), fits, "{operators}");
        assert_eq!(plainly_reads(&format!("SELECT {}1", "1 OR ".repeat(operators))), fits, "{operators}");
        let _ = plainly_reads(&format!("SELECT {}1", "NOT ".repeat(operators)));
    }
    for depth in [DEPTH_MAX, DEPTH_MAX + 1, 100, 300, 20_000] {
        for (open, close) in [
            ("(", ")"),
            ("SELECT * FROM (", ")"),
            ("abs(-", ")"),
            ("CASE WHEN 1 THEN ", " END"),
            ("NOT ", ""),
        ] {
            let text = format!("SELECT {}SELECT 1+1{}", open.repeat(depth), close.repeat(depth));
            assert!(!plainly_reads(&text), "{depth} × {open}");
        }
    }
}

/// Pieces of statements, put together in any order.
fn piece() -> impl Strategy<Value = String> {
    let words = prop::sample::select(
        [
            STATEMENTS,
            GRAMMAR,
            FUNCTIONS,
            &["t", "id", "'a'", "\"a\"", "1", ",", "*", "(", ")", ";", "=", "--", "/*"][..],
        ]
        .concat(),
    );
    prop_oneof![4 => words.prop_map(str::to_owned), 1 => "\\PC{0,6}"]
}

proptest! {
    #[test]
    fn any_text_is_answered_and_what_reads_begins_like_a_question(text in ".{0,200}") {
        let read = plainly_reads(&text);
        let lower = text.to_ascii_lowercase();
        prop_assert!(!read || lower.trim_start().starts_with("select") || lower.trim_start().starts_with("with"));
    }

    #[test]
    fn a_question_with_the_word_of_a_statement_between_is_none(
        question in prop::sample::select(QUESTIONS), word in prop::sample::select(STATEMENTS), at in 0_usize..200,
    ) {
        let spaces: Vec<usize> = question.match_indices(' ').map(|(at, _)| at).collect();
        let Some(place) = spaces.get(at % spaces.len().max(1)) else { return Ok(()) };
        let inside_quotes = question[..*place].matches(['\'', '"']).count() % 2 == 1;
        let changed = format!("{} {word} {}", &question[..*place], &question[*place..]);
        prop_assert!(inside_quotes || !plainly_reads(&changed), "{changed}");
    }

    #[test]
    fn a_long_word_behind_a_question_makes_it_none(
        question in prop::sample::select(QUESTIONS), word in "[a-z_]{4,12}",
    ) {
        let known = [BEHIND_OPERAND, BEFORE_OPERAND, GRAMMAR].concat().contains(&word.as_str());
        let changed = format!("{} {word}", question.trim_end().trim_end_matches(';'));
        prop_assert!(known || !plainly_reads(&changed), "{changed}");
    }

    #[test]
    fn whatever_follows_a_question_makes_it_two(
        question in prop::sample::select(QUESTIONS), pieces in prop::collection::vec(piece(), 1..8),
    ) {
        let more = pieces.join(" ");
        let changed = format!("{} ; {more}", question.trim_end().trim_end_matches(';'));
        prop_assert!(more.trim().is_empty() || !plainly_reads(&changed), "{changed}");
    }
}
