-- Definitions with their provenance, one of a kind and name. Nothing was ever written into the earlier table.

DROP TABLE definitions;

CREATE TABLE definitions (
    kind TEXT NOT NULL CHECK (kind IN ('process', 'tool')),
    name TEXT NOT NULL,
    definition TEXT NOT NULL,
    digest BLOB NOT NULL,
    PRIMARY KEY (kind, name)
) STRICT, WITHOUT ROWID;
