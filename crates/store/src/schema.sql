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
    protocol    TEXT    NOT NULL CHECK (json_valid(protocol)),
    starts      INTEGER NOT NULL DEFAULT 1 CHECK (starts >= 1),   -- 1, and 1 more for each resume
    note        TEXT                                              -- what users wrote about the run
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

-- Names that users gave to runs, to compare later ones with.
CREATE TABLE baselines (
    name TEXT NOT NULL PRIMARY KEY,
    run  TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- What comparisons of a case with itself showed of a machine; the newest row of a machine counts.
CREATE TABLE machine_noise (
    number      INTEGER PRIMARY KEY,
    host        TEXT,
    cpu         TEXT NOT NULL,
    measured_at TEXT NOT NULL,   -- RFC 3339, UTC
    noise       TEXT NOT NULL CHECK (json_valid(noise))
) STRICT;

-- The medians of complete runs, case by case, so that later runs can tell at once how far whole runs lie apart here.
CREATE TABLE run_medians (
    run      TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    id       TEXT NOT NULL,   -- kem/ML-KEM-768/encapsulate@liboqs
    unit     TEXT NOT NULL CHECK (unit IN ('time', 'cycles')),
    median   REAL NOT NULL,   -- of one operation, in ns or in core cycles
    variance REAL NOT NULL,   -- of its logarithm, as the run itself shows it
    PRIMARY KEY (run, id, unit)
) STRICT, WITHOUT ROWID;
