-- One run of Terraform over some directories of a repository: planned, applied, or read for its modules.
CREATE TABLE work_manifests (
  id uuid PRIMARY KEY,
  installation_id uuid NOT NULL,
  repository_id uuid NOT NULL,
  pull_number integer,                    -- null: a drift or index run
  pull_title text,
  kind text NOT NULL CHECK (kind IN ('pull_request', 'drift', 'index')),
  run_type text NOT NULL CHECK (run_type IN ('apply', 'build-config', 'build-tree', 'index', 'plan')),
  state text NOT NULL CHECK (state IN ('queued', 'running', 'completed', 'aborted')),
  owner text NOT NULL,
  repo text NOT NULL,                     -- name without owner, as it was then
  username text,                          -- who started it
  environment text,
  branch text NOT NULL,
  branch_ref text NOT NULL,               -- commit of the branch
  base_branch text NOT NULL,
  base_ref text NOT NULL,
  tag_query text NOT NULL DEFAULT '',
  run_id text,                            -- of the CI run
  created_at timestamptz NOT NULL DEFAULT now(),
  started_at timestamptz,
  completed_at timestamptz,
  error_id text,                          -- why it was aborted
  error_data text,
  FOREIGN KEY (repository_id, installation_id) REFERENCES repositories (id, installation_id)
    ON DELETE CASCADE ON UPDATE CASCADE,
  FOREIGN KEY (repository_id, pull_number) REFERENCES pull_requests (repository_id, number) ON DELETE CASCADE
);
CREATE INDEX work_manifests_by_time ON work_manifests (installation_id, created_at DESC, id DESC);
CREATE INDEX work_manifests_of_pull_request ON work_manifests (repository_id, pull_number, created_at DESC);
CREATE INDEX work_manifests_by_repo ON work_manifests (installation_id, repo, created_at DESC);
CREATE INDEX work_manifests_by_user ON work_manifests (installation_id, username, created_at DESC);

-- The directories of a run. What lists filter by is repeated here, so that a page is one index range of one table.
CREATE TABLE work_manifest_dirspaces (
  work_manifest_id uuid NOT NULL REFERENCES work_manifests (id) ON DELETE CASCADE,
  position integer NOT NULL,
  dir text NOT NULL,
  workspace text NOT NULL,
  state text NOT NULL CHECK (state IN ('aborted', 'failure', 'queued', 'running', 'success', 'unknown')),
  success boolean,
  has_changes boolean,
  installation_id uuid NOT NULL,
  repo text NOT NULL,
  username text,
  environment text,
  kind text NOT NULL,
  run_type text NOT NULL,
  pull_number integer,
  branch text NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (work_manifest_id, position),
  UNIQUE (work_manifest_id, dir, workspace)
);
CREATE INDEX dirspaces_by_time ON work_manifest_dirspaces (installation_id, created_at DESC, work_manifest_id DESC, position DESC);
CREATE INDEX dirspaces_by_dir ON work_manifest_dirspaces (installation_id, dir, created_at DESC);
CREATE INDEX dirspaces_by_repo ON work_manifest_dirspaces (installation_id, repo, created_at DESC);
CREATE INDEX dirspaces_by_pull_request ON work_manifest_dirspaces (installation_id, pull_number, created_at DESC);
CREATE INDEX dirspaces_by_user ON work_manifest_dirspaces (installation_id, username, created_at DESC);

-- Steps of a run. The payload lies apart, so that lists without it never read it.
CREATE TABLE work_manifest_outputs (
  work_manifest_id uuid NOT NULL REFERENCES work_manifests (id) ON DELETE CASCADE,
  idx integer NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  step text NOT NULL,
  state text NOT NULL CHECK (state IN ('success', 'failure')),
  ignore_errors boolean NOT NULL DEFAULT false,
  scope text NOT NULL CHECK (scope IN ('dirspace', 'run')),
  dir text,
  workspace text,
  flow text,
  subflow text,
  PRIMARY KEY (work_manifest_id, idx),
  CHECK ((scope = 'dirspace') = (dir IS NOT NULL AND workspace IS NOT NULL)),
  CHECK ((scope = 'run') = (flow IS NOT NULL AND subflow IS NOT NULL))
);
CREATE TABLE work_manifest_payloads (
  work_manifest_id uuid NOT NULL,
  idx integer NOT NULL,
  payload jsonb NOT NULL,
  PRIMARY KEY (work_manifest_id, idx),
  FOREIGN KEY (work_manifest_id, idx) REFERENCES work_manifest_outputs (work_manifest_id, idx) ON DELETE CASCADE
);
