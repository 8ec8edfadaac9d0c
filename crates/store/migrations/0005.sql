-- What users wrote of a run.
ALTER TABLE runs ADD COLUMN note TEXT;
