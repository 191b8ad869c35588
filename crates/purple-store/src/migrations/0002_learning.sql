-- What was learned. Bodies are JSON; who writes them says what is in them.

-- One row per outcome. The key makes a second insert of the same outcome visible.
CREATE TABLE cases (
    id INTEGER PRIMARY KEY,
    session TEXT NOT NULL,
    round INTEGER NOT NULL,
    at INTEGER NOT NULL,
    process TEXT NOT NULL,
    body TEXT NOT NULL,
    UNIQUE (session, round)
) STRICT;

CREATE INDEX cases_process ON cases (process, at);

-- Never pruned: the sums over these rows are the arms of the bandit.
CREATE TABLE rewards (
    id INTEGER PRIMARY KEY,
    session TEXT NOT NULL,
    round INTEGER NOT NULL,
    context TEXT NOT NULL,
    arm TEXT NOT NULL,
    reward TEXT NOT NULL,
    at INTEGER NOT NULL,
    UNIQUE (session, round)
) STRICT;

CREATE INDEX rewards_arm ON rewards (context, arm);

CREATE TABLE knowledge (
    id INTEGER PRIMARY KEY,
    topic TEXT NOT NULL,
    body TEXT NOT NULL,
    session TEXT NOT NULL,
    at INTEGER NOT NULL
) STRICT;

CREATE INDEX knowledge_topic ON knowledge (topic, at);

CREATE TABLE entities (
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    body TEXT NOT NULL,
    seen INTEGER NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (kind, name)
) STRICT, WITHOUT ROWID;

-- Processes and tools that a model wrote. What they may do is not decided here.
CREATE TABLE definitions (
    kind TEXT NOT NULL CHECK (kind IN ('process', 'tool')),
    name TEXT NOT NULL,
    digest BLOB NOT NULL,
    body TEXT NOT NULL,
    session TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (kind, name, digest)
) STRICT, WITHOUT ROWID;
