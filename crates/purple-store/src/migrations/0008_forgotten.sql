-- Digests of what was forgotten: a seed does not bring it back, and nobody can read from them what it was.

CREATE TABLE forgotten (
    what BLOB PRIMARY KEY
) STRICT, WITHOUT ROWID;
