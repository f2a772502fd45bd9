-- When the comment of a plan was shortened to a line, since its directories were planned anew.
ALTER TABLE work_manifests ADD COLUMN comment_outdated_at timestamptz;
