-- The pick of a run looks at the first waiting runs of each repository, and at what runs.
CREATE INDEX work_manifests_queue ON work_manifests (repository_id, (run_type <> 'apply'), created_at, id)
  WHERE state = 'queued' AND dispatch_state IS NULL AND trigger_key IS NOT NULL;
CREATE INDEX work_manifests_busy ON work_manifests (installation_id, repository_id)
  WHERE state = 'running' OR (state = 'queued' AND dispatch_state IS NOT NULL);
CREATE INDEX dirspaces_queued ON work_manifest_dirspaces (repository_id, dir, workspace) WHERE state = 'queued';
