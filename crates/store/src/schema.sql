-- One row per run. `number` counts runs in the order in which they were added to this file.
CREATE TABLE runs (
    number      INTEGER PRIMARY KEY,
    id          TEXT    NOT NULL UNIQUE,
    suite       TEXT    NOT NULL,
    command     TEXT    NOT NULL,
    seed        TEXT    NOT NULL,   -- decimal, because unsigned 64-bit integers do not fit SQLite's integers
    started_at  TEXT    NOT NULL,   -- RFC 3339, UTC
    finished_at TEXT,
    complete    INTEGER NOT NULL DEFAULT 0 CHECK (complete IN (0, 1)),
    imported    INTEGER NOT NULL DEFAULT 0 CHECK (imported IN (0, 1)),
    host        TEXT,
    environment TEXT    NOT NULL CHECK (json_valid(environment)),
    protocol    TEXT    NOT NULL CHECK (json_valid(protocol)),
    starts      INTEGER NOT NULL DEFAULT 1 CHECK (starts >= 1),   -- 1, plus 1 for each resumption
    note        TEXT                                              -- written by users
) STRICT;

-- Planned cases of each run, in order.
CREATE TABLE plan (
    run        TEXT    NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    position   INTEGER NOT NULL CHECK (position >= 0),
    id         TEXT    NOT NULL,
    definition TEXT    NOT NULL CHECK (json_valid(definition)),
    PRIMARY KEY (run, position)
) STRICT, WITHOUT ROWID;

-- Finished cases of each run.
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

-- Raw samples of finished cases, in a separate table so that the other tables stay quick to read.
CREATE TABLE samples (
    run      TEXT    NOT NULL,
    position INTEGER NOT NULL,
    metric   TEXT    NOT NULL,   -- quantity that the ticks measure: wall, tsc, cycles, instructions
    batch    INTEGER NOT NULL,   -- operations per sample
    count    INTEGER NOT NULL,   -- number of samples in all visits
    data     BLOB    NOT NULL,   -- see samples/mod.rs
    PRIMARY KEY (run, position),
    FOREIGN KEY (run, position) REFERENCES cases (run, position) ON DELETE CASCADE
) STRICT;

-- Names that users gave to runs, so that later runs can be compared with them.
CREATE TABLE baselines (
    name TEXT NOT NULL PRIMARY KEY,
    run  TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- Noise of machines, found by comparing a case with itself. The newest row for a machine is used.
CREATE TABLE machine_noise (
    number      INTEGER PRIMARY KEY,
    host        TEXT,
    cpu         TEXT NOT NULL,
    measured_at TEXT NOT NULL,   -- RFC 3339, UTC
    noise       TEXT NOT NULL CHECK (json_valid(noise))
) STRICT;

-- Medians of the cases in complete runs. Later runs use them to estimate the spread between whole runs on this machine.
CREATE TABLE run_medians (
    run      TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    id       TEXT NOT NULL,   -- kem/ML-KEM-768/encapsulate@liboqs
    unit     TEXT NOT NULL CHECK (unit IN ('time', 'cycles')),
    median   REAL NOT NULL,   -- of one operation, in ns or in core cycles
    variance REAL NOT NULL,   -- of the median's logarithm, estimated from this run
    PRIMARY KEY (run, id, unit)
) STRICT, WITHOUT ROWID;
