-- The comment of a run was begun to be written: before it is written again it is looked for.
ALTER TABLE work_manifests ADD COLUMN comment_begun_at timestamptz;
