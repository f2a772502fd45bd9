-- A base branch may name another command later: what the one before printed no longer counts then. The release before has no
-- such table. Rows without a command count for any.
ALTER TABLE built_configurations ADD COLUMN command_hash bytea NOT NULL DEFAULT '';
ALTER TABLE built_configurations DROP CONSTRAINT built_configurations_pkey,
  ADD PRIMARY KEY (repository_id, sha, base_branch, command_hash);
