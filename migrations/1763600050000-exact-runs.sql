-- Which run a write belongs to is known or not known, never guessed.
ALTER TABLE state_bases
  ALTER connection DROP NOT NULL,                -- null: a proxy does not tell one client's connections apart
  ADD lock_id text,                              -- lock that the same credential and address held during the read
  ADD position bigint;                           -- order of the rows; `at` may be the same for several
UPDATE state_bases SET connection = NULL WHERE connection LIKE 'via:%';
UPDATE state_bases b SET position = o.position
  FROM (SELECT id, row_number() OVER (ORDER BY at, id) AS position FROM state_bases) o WHERE o.id = b.id;
CREATE SEQUENCE state_base_positions OWNED BY state_bases.position;
SELECT setval('state_base_positions', (SELECT count(*) + 1 FROM state_bases));
ALTER TABLE state_bases ALTER position SET DEFAULT nextval('state_base_positions'), ALTER position SET NOT NULL;
DROP INDEX state_bases_of_connection;
CREATE INDEX state_bases_of_connection ON state_bases (state_id, connection, position DESC);
DROP INDEX state_bases_of_run;
CREATE INDEX state_bases_of_run ON state_bases (state_id, run_name, position DESC) WHERE run_name IS NOT NULL;
CREATE INDEX state_bases_of_lock ON state_bases (state_id, lock_id) WHERE lock_id IS NOT NULL;

-- The version that the writer of a submission started from, where it is known.
ALTER TABLE state_submissions ADD base_version integer;
