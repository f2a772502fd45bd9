-- What runs of type index and build-config found out about a commit.
CREATE TABLE commit_artifacts (
  repository_id uuid NOT NULL REFERENCES repositories (id) ON DELETE CASCADE,
  sha text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('index', 'build-config')),
  content text NOT NULL,                  -- JSON of an index, the text of a configuration
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (repository_id, sha, kind)
);
