-- Business keys, the operator's stops, and what makes learned cases findable.

-- The first session keeps a key for ever, or until it gives it back.
CREATE TABLE claims (
    key TEXT PRIMARY KEY,
    session INTEGER NOT NULL,
    at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- `all`, or `process:` and a name.
CREATE TABLE halts (
    scope TEXT PRIMARY KEY,
    halt TEXT NOT NULL,
    digest BLOB NOT NULL
) STRICT, WITHOUT ROWID;

-- The task in words, for the search.
ALTER TABLE cases ADD COLUMN text TEXT NOT NULL DEFAULT '';

-- Whom and what a case was about, as it was written. `folded` is what two spellings of one name share;
-- it is the `name` of the row in `entities`.
CREATE TABLE case_entities (
    case_id INTEGER NOT NULL,
    place INTEGER NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    folded TEXT NOT NULL,
    PRIMARY KEY (case_id, place)
) STRICT, WITHOUT ROWID;

CREATE INDEX case_entities_folded ON case_entities (kind, folded, case_id);

-- Keeps no copy of the text.
CREATE VIRTUAL TABLE case_words USING fts5 (
    text, content = 'cases', content_rowid = 'id', tokenize = 'porter unicode61 remove_diacritics 2'
);

-- Cases are only ever added.
CREATE TRIGGER cases_words AFTER INSERT ON cases BEGIN
    INSERT INTO case_words (rowid, text) VALUES (new.id, new.text);
END;

INSERT INTO case_words (case_words) VALUES ('rebuild');
