-- The medians of complete runs, case by case, so that later runs can tell at once how far whole runs lie apart here. Runs that
-- are older than this table have none.
CREATE TABLE run_medians (
    run      TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    id       TEXT NOT NULL,   -- kem/ML-KEM-768/encapsulate@liboqs
    unit     TEXT NOT NULL CHECK (unit IN ('time', 'cycles')),
    median   REAL NOT NULL,   -- of one operation, in ns or in core cycles
    variance REAL NOT NULL,   -- of its logarithm, as the run itself shows it
    PRIMARY KEY (run, id, unit)
) STRICT, WITHOUT ROWID;
