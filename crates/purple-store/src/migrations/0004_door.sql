-- Tokens of callers from outside, and who wants to be told when a session moves.

-- The secret of a token is nowhere; its hash is part of the text.
CREATE TABLE tokens (
    id TEXT PRIMARY KEY,
    token TEXT NOT NULL,
    digest BLOB NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE watchers (
    session TEXT NOT NULL,
    id TEXT NOT NULL,
    watcher TEXT NOT NULL,
    digest BLOB NOT NULL,
    PRIMARY KEY (session, id)
) STRICT, WITHOUT ROWID;
