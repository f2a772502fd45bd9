-- Where a scan goes on after its worker was killed. The inventory that it collects has an id of its own, so that a later
-- attempt goes on with the rows of an earlier one, which writes nothing any more.
ALTER TABLE gap_scans
  ADD COLUMN collecting_id uuid, -- inventory that is being collected
  ADD COLUMN position jsonb;     -- listing and page after the rows that are stored; null: the beginning
