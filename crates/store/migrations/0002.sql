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
