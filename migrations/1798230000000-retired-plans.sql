-- Since when a plan or an apply counts for nothing any more: its pull request was closed or opened again, or has another head.
ALTER TABLE work_manifest_dirspaces ADD COLUMN retired_at timestamptz;
