-- What the command of a base branch printed for a commit: another base branch has another command. `commit_artifacts` has
-- one row for a commit, which replicas of the release before write with ON CONFLICT, so its key stays as it is.
CREATE TABLE built_configurations (
  repository_id uuid NOT NULL REFERENCES repositories (id) ON DELETE CASCADE,
  sha text NOT NULL,
  base_branch text NOT NULL,              -- whose configuration names the command
  content text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (repository_id, sha, base_branch)
);
