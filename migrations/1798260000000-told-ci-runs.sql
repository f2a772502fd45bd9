-- Whether the code host itself gave the id of the CI run when it took the dispatch. Null: a release that did not store that.
ALTER TABLE work_manifests ADD COLUMN run_id_told boolean;

CREATE INDEX IF NOT EXISTS work_manifests_of_ci_run ON work_manifests (repository_id, run_id) WHERE run_id IS NOT NULL;
