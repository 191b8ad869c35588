-- Sessions, their journals, and what is to be done for them.
-- Times are microseconds since 1970. Hashes are 32 bytes of SHA-256.

CREATE TABLE meta (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO meta (key, value) VALUES ('database', lower(hex(randomblob(16))));

-- Slim: every commit of a session writes its row again.
CREATE TABLE sessions (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    began INTEGER NOT NULL,
    changed INTEGER NOT NULL,
    head_seq INTEGER NOT NULL,
    head_hash BLOB NOT NULL,
    summary TEXT NOT NULL
) STRICT;

CREATE INDEX sessions_changed ON sessions (changed, id);

CREATE TABLE checkpoints (
    session INTEGER PRIMARY KEY,
    schema INTEGER NOT NULL,
    body TEXT NOT NULL,
    digest BLOB NOT NULL
) STRICT;

-- With a rowid: entries of all sessions are appended at one end, and a commit touches few pages.
CREATE TABLE journal (
    id INTEGER PRIMARY KEY,
    session INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    entry TEXT NOT NULL,
    hash BLOB NOT NULL
) STRICT;

CREATE UNIQUE INDEX journal_place ON journal (session, seq);

-- Kept for ever, without the event: what was said to a session leaves with its turn.
CREATE TABLE dedup (
    key TEXT PRIMARY KEY,
    session INTEGER NOT NULL,
    digest BLOB NOT NULL
) STRICT, WITHOUT ROWID;

-- Only events that did not end. AUTOINCREMENT, because steps outlive the event whose id they name.
CREATE TABLE inbox (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    session INTEGER NOT NULL,
    due INTEGER NOT NULL,
    wake_at INTEGER NOT NULL,
    timer TEXT,
    event TEXT NOT NULL,
    digest BLOB NOT NULL,
    begun INTEGER NOT NULL DEFAULT 0,
    attempts INTEGER NOT NULL DEFAULT 0,
    failures INTEGER NOT NULL DEFAULT 0,
    crashes INTEGER NOT NULL DEFAULT 0,
    stuck TEXT
) STRICT;

CREATE INDEX inbox_session ON inbox (session, id);
CREATE INDEX inbox_wake ON inbox (wake_at) WHERE stuck IS NULL;
CREATE INDEX inbox_stuck ON inbox (session) WHERE stuck IS NOT NULL;

CREATE TABLE steps (
    id INTEGER PRIMARY KEY,
    event INTEGER NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    digest BLOB NOT NULL,
    at INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX steps_name ON steps (event, name);
CREATE INDEX steps_at ON steps (at);

CREATE TABLE blobs (
    id INTEGER PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE,
    bytes BLOB NOT NULL
) STRICT;

-- Only notices that were not delivered; a dead one says why it stays.
CREATE TABLE outbox (
    id INTEGER PRIMARY KEY,
    notice TEXT NOT NULL,
    tries INTEGER NOT NULL DEFAULT 0,
    wake_at INTEGER NOT NULL,
    dead TEXT
) STRICT;

CREATE INDEX outbox_wake ON outbox (wake_at) WHERE dead IS NULL;
