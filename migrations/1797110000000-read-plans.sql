-- When the provider wrote the comment on a run: a command that is older was written without having read it.
ALTER TABLE work_manifests ADD COLUMN comment_at timestamptz;
-- Since when the head of a pull request is known to be this commit.
ALTER TABLE pull_requests ADD COLUMN head_at timestamptz;
