-- The pick of a run takes the first of each repository in the order of the queue: drift comes last, whether it is looked at
-- or reconciled.
CREATE INDEX IF NOT EXISTS work_manifests_queue_ranked
  ON work_manifests (repository_id, (CASE WHEN kind = 'drift' THEN 2 WHEN run_type = 'apply' THEN 0 ELSE 1 END), created_at, id)
  WHERE state = 'queued' AND dispatch_state IS NULL AND trigger_key IS NOT NULL;
