-- The newest result of each directory: a list of drift goes from directory to directory, however long their history is.
CREATE INDEX IF NOT EXISTS dirspaces_drift_results ON work_manifest_dirspaces (repository_id, dir, workspace, created_at DESC, work_manifest_id DESC)
  WHERE kind = 'drift' AND success IS NOT NULL;
