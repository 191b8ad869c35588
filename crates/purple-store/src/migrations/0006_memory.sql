-- What was learned, with where it comes from: scores that are added to, facts with citations, and checks.

-- A later score of a round counts in place of the earlier one, which stays. The sums over the latest ones that name a
-- way are the arms of the bandit.
CREATE TABLE scores (
    id INTEGER PRIMARY KEY,
    session TEXT NOT NULL,
    round INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    process TEXT NOT NULL,
    arm TEXT,
    points INTEGER NOT NULL CHECK (points BETWEEN 0 AND 10000),
    cause TEXT NOT NULL,
    because TEXT NOT NULL,
    at INTEGER NOT NULL,
    latest INTEGER NOT NULL DEFAULT 1,
    UNIQUE (session, round, revision)
) STRICT;

INSERT INTO scores (session, round, revision, process, arm, points, cause, because, at)
    SELECT session, round, 1, context, arm,
           min(10000, max(0, CAST(round(CAST(reward AS REAL) * 10000) AS INTEGER))), 'ended', '[]', at
    FROM rewards;

DROP TABLE rewards;

CREATE INDEX scores_arm ON scores (process, latest, arm, points);

-- One row for each thing that evidence said about an entity. Newer evidence marks what it contradicts.
DROP TABLE knowledge;

CREATE TABLE knowledge (
    id INTEGER PRIMARY KEY,
    domain TEXT NOT NULL,
    kind TEXT NOT NULL,
    folded TEXT NOT NULL,
    name TEXT NOT NULL,
    field TEXT NOT NULL,
    value TEXT NOT NULL,
    session TEXT NOT NULL,
    round INTEGER NOT NULL,
    evidence TEXT NOT NULL,
    at INTEGER NOT NULL,
    superseded INTEGER
) STRICT;

CREATE INDEX knowledge_entity ON knowledge (kind, folded, at);

CREATE TABLE checks (
    id INTEGER PRIMARY KEY,
    session TEXT NOT NULL,
    round INTEGER NOT NULL,
    process TEXT NOT NULL,
    figure TEXT NOT NULL,
    given TEXT NOT NULL,
    found TEXT NOT NULL,
    hit INTEGER NOT NULL,
    at INTEGER NOT NULL,
    UNIQUE (session, round, figure)
) STRICT;

CREATE INDEX checks_process ON checks (process, at);

-- What operators did to it.
CREATE TABLE learning_acts (
    id INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    by TEXT NOT NULL,
    act TEXT NOT NULL,
    rows INTEGER NOT NULL
) STRICT;

-- The log is the newest cases. Those that left it stay as the history of whom they were about, and are not searched.
ALTER TABLE cases ADD COLUMN logged INTEGER NOT NULL DEFAULT 1;

CREATE INDEX cases_logged ON cases (logged, id);

DROP TRIGGER cases_words;
DROP TABLE case_words;

CREATE VIEW case_log AS SELECT id, text FROM cases WHERE logged = 1;

CREATE VIRTUAL TABLE case_words USING fts5 (
    text, content = 'case_log', content_rowid = 'id', tokenize = 'porter unicode61 remove_diacritics 2'
);

CREATE TRIGGER cases_words AFTER INSERT ON cases BEGIN
    INSERT INTO case_words (rowid, text) VALUES (new.id, new.text);
END;

CREATE TRIGGER cases_leave AFTER UPDATE OF logged ON cases WHEN old.logged = 1 AND new.logged = 0 BEGIN
    INSERT INTO case_words (case_words, rowid, text) VALUES ('delete', old.id, old.text);
END;

CREATE TRIGGER cases_words_gone AFTER DELETE ON cases WHEN old.logged = 1 BEGIN
    INSERT INTO case_words (case_words, rowid, text) VALUES ('delete', old.id, old.text);
END;

INSERT INTO case_words (case_words) VALUES ('rebuild');
