-- A step that is asked for again after its answer was lost is told by its key, and answered as before.
ALTER TABLE transactions ADD COLUMN step_key text;
