-- A run that reconciles drift holds its directories as a pull request does; it has no number, but the run.
ALTER TABLE dirspace_holds ALTER COLUMN pull_number DROP NOT NULL;
CREATE INDEX dirspace_holds_of_reconcile ON dirspace_holds (work_manifest_id) WHERE pull_number IS NULL;
