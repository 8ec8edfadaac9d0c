-- How often the run was started: once, and once more each time that it was gone on with. Worker processes and rounds are
-- counted anew by each start. Of runs that are older than this it is not known how often they were stopped.
ALTER TABLE runs ADD COLUMN starts INTEGER NOT NULL DEFAULT 1 CHECK (starts >= 1);
