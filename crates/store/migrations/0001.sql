-- One row a run. `number` counts runs in the order in which this file got them.
CREATE TABLE runs (
    number      INTEGER PRIMARY KEY,
    id          TEXT    NOT NULL UNIQUE,
    suite       TEXT    NOT NULL,
    command     TEXT    NOT NULL,
    seed        TEXT    NOT NULL,   -- decimal: 64 bits without a sign do not fit SQLite's integers
    started_at  TEXT    NOT NULL,   -- RFC 3339, UTC
    finished_at TEXT,
    complete    INTEGER NOT NULL DEFAULT 0 CHECK (complete IN (0, 1)),
    imported    INTEGER NOT NULL DEFAULT 0 CHECK (imported IN (0, 1)),
    host        TEXT,
    environment TEXT    NOT NULL CHECK (json_valid(environment)),
    protocol    TEXT    NOT NULL CHECK (json_valid(protocol))
) STRICT;

-- What a run set out to measure, in order.
CREATE TABLE plan (
    run        TEXT    NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    position   INTEGER NOT NULL CHECK (position >= 0),
    id         TEXT    NOT NULL,
    definition TEXT    NOT NULL CHECK (json_valid(definition)),
    PRIMARY KEY (run, position)
) STRICT, WITHOUT ROWID;

-- What of the plan is finished.
CREATE TABLE cases (
    run               TEXT    NOT NULL,
    position          INTEGER NOT NULL,
    id                TEXT    NOT NULL,   -- kem/ML-KEM-768/encapsulate@liboqs
    workload          TEXT    NOT NULL,
    algorithm         TEXT    NOT NULL,
    operation         TEXT    NOT NULL,
    provider          TEXT    NOT NULL,
    definition        TEXT    NOT NULL CHECK (json_valid(definition)),
    status            TEXT    NOT NULL CHECK (status IN ('ok', 'failed')),
    error             TEXT,
    verified          INTEGER NOT NULL CHECK (verified IN (0, 1)),
    precision_reached INTEGER NOT NULL CHECK (precision_reached IN (0, 1)),
    contended         INTEGER NOT NULL CHECK (contended IN (0, 1)),
    finished_at       TEXT    NOT NULL,   -- RFC 3339, UTC
    PRIMARY KEY (run, position),
    FOREIGN KEY (run, position) REFERENCES plan (run, position) ON DELETE CASCADE
) STRICT;

CREATE INDEX cases_by_id ON cases (id);

-- The raw samples of a finished case, in a table of their own so that the others stay quick to read.
CREATE TABLE samples (
    run      TEXT    NOT NULL,
    position INTEGER NOT NULL,
    metric   TEXT    NOT NULL,   -- what the ticks count: wall, tsc, cycles, instructions
    batch    INTEGER NOT NULL,   -- operations in a sample
    count    INTEGER NOT NULL,   -- samples, over all visits
    data     BLOB    NOT NULL,   -- see samples.rs
    PRIMARY KEY (run, position),
    FOREIGN KEY (run, position) REFERENCES cases (run, position) ON DELETE CASCADE
) STRICT;
