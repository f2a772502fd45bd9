-- Parts of a plan file are stored while it arrives, each in a transaction of its own: several uploads may have begun, and
-- the plan file names the one whose parts are its bytes.
ALTER TABLE plan_files ADD COLUMN upload_id uuid;
ALTER TABLE plan_file_parts ADD COLUMN upload_id uuid;
CREATE INDEX plan_file_parts_upload ON plan_file_parts (work_manifest_id, position, upload_id, seq);
ALTER TABLE plan_file_parts DROP CONSTRAINT plan_file_parts_work_manifest_id_position_seq_key;
ALTER TABLE work_manifest_dirspaces ADD COLUMN plan_upload_id uuid;
