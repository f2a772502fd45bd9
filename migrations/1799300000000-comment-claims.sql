-- A worker writes the comment of a run until then at the latest: nobody else writes it meanwhile. Null: nobody does.
ALTER TABLE work_manifests ADD COLUMN comment_writing_until timestamptz;
