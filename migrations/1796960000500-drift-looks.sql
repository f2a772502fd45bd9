-- The newest looks for drift of each directory.
CREATE INDEX dirspaces_drift ON work_manifest_dirspaces (installation_id, repository_id, dir, workspace, created_at DESC)
  WHERE kind = 'drift';
