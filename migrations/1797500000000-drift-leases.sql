-- A schedule moves on in the transaction that creates its runs. Until then a lease keeps other workers from it, and a look
-- that failed is tried again.
ALTER TABLE drift_schedules
  -- leased or postponed until then
  ADD COLUMN retry_at timestamptz,
  ADD COLUMN attempts integer NOT NULL DEFAULT 0,
  -- why the last look could not begin
  ADD COLUMN problem text,
  -- somebody started it by hand and it waits for a run that finds something out first
  ADD COLUMN asked_at timestamptz;

-- When the configuration of a default branch was read for its drift schedules, and when it is read next.
CREATE TABLE drift_branches (
  repository_id uuid PRIMARY KEY REFERENCES repositories (id) ON DELETE CASCADE,
  branch text,
  sha text,
  read_at timestamptz,
  -- leased, postponed or due then
  next_read_at timestamptz NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  problem text
);
CREATE INDEX drift_branches_due ON drift_branches (next_read_at);

-- What was pushed before its installation was linked has never been read.
INSERT INTO drift_branches (repository_id, next_read_at) SELECT id, now() FROM repositories;
