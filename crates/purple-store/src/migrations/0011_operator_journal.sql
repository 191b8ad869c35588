-- What operators changed, in a chain of its own: tokens, halts, definitions, pins, configuration.

CREATE TABLE operator_journal (
    seq INTEGER PRIMARY KEY,
    entry TEXT NOT NULL,
    hash BLOB NOT NULL,
    packed BLOB
) STRICT;

CREATE TABLE operator_head (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    seq INTEGER NOT NULL,
    hash BLOB NOT NULL
) STRICT;

-- SHA-256 of `operator journal`: the chain before its first entry. The writer adds the first ones when it opens the
-- database, because they state the time.
INSERT INTO operator_head (id, seq, hash)
VALUES (1, 0, x'f5b6c3921c50189e39fc131e2969c967bf4cf0938c2fc9a9fb0503ca91187da7');
