-- What a run takes besides what lists show of it.
ALTER TABLE work_manifests
  ADD COLUMN trigger_key text,            -- what asked for it: nothing is created twice
  ADD COLUMN is_forced boolean NOT NULL DEFAULT false, -- apply-force: requirements and gates were skipped
  ADD COLUMN applies_plan boolean NOT NULL DEFAULT false, -- apply-autoapprove, reconcile: plans and applies in one run
  ADD COLUMN place text NOT NULL DEFAULT 'ci' CHECK (place IN ('ci', 'pool')),
  ADD COLUMN pool text,                   -- name of the pool
  ADD COLUMN workflow text NOT NULL DEFAULT 'infrastate.yml',
  ADD COLUMN runs_on text,
  ADD COLUMN timeout_minutes integer NOT NULL DEFAULT 60,
  ADD COLUMN spec jsonb,                  -- what the runner is told: hooks, steps, engines
  ADD COLUMN work_token_hash bytea UNIQUE,
  ADD COLUMN dispatch_state text CHECK (dispatch_state IN ('sending', 'sent')),
  ADD COLUMN dispatched_at timestamptz,
  ADD COLUMN retry_at timestamptz,        -- the provider asked for patience
  ADD COLUMN run_url text,
  ADD COLUMN run_nonce text,              -- of the runner that began it
  ADD COLUMN heartbeat_at timestamptz,
  ADD COLUMN comment_id text,             -- the comment with its result
  ADD COLUMN reported_at timestamptz;     -- comment and statuses stand
CREATE UNIQUE INDEX work_manifests_once ON work_manifests (repository_id, trigger_key);
CREATE INDEX work_manifests_waiting ON work_manifests (created_at) WHERE state = 'queued';
CREATE INDEX work_manifests_active ON work_manifests (installation_id) WHERE state IN ('queued', 'running');
CREATE INDEX work_manifests_unreported ON work_manifests (completed_at)
  WHERE state IN ('completed', 'aborted') AND reported_at IS NULL AND trigger_key IS NOT NULL;

ALTER TABLE work_manifest_dirspaces
  ADD COLUMN repository_id uuid REFERENCES repositories (id) ON DELETE CASCADE,
  ADD COLUMN sha text,                    -- commit of the head
  ADD COLUMN lock_policy text NOT NULL DEFAULT 'apply' CHECK (lock_policy IN ('apply', 'none')),
  ADD COLUMN summary jsonb,               -- {add, change, destroy}
  ADD COLUMN plan_from uuid,              -- of an apply: the run whose plan it applies
  ADD COLUMN ended_at timestamptz;
CREATE INDEX dirspaces_of_commit ON work_manifest_dirspaces (repository_id, pull_number, sha);
CREATE INDEX dirspaces_applied ON work_manifest_dirspaces (repository_id, dir, workspace, ended_at DESC) WHERE run_type = 'apply';

-- Who runs where. A dirspace is in one mode at a time; the foreign key keeps the mode while anything runs in it, and a
-- unique index keeps a second apply out.
CREATE TABLE dirspace_modes (
  repository_id uuid NOT NULL REFERENCES repositories (id) ON DELETE CASCADE,
  dir text NOT NULL,
  workspace text NOT NULL,
  mode text NOT NULL CHECK (mode IN ('plan', 'apply')),
  PRIMARY KEY (repository_id, dir, workspace),
  UNIQUE (repository_id, dir, workspace, mode)
);
CREATE TABLE running_dirspaces (
  work_manifest_id uuid NOT NULL REFERENCES work_manifests (id) ON DELETE CASCADE,
  repository_id uuid NOT NULL,
  dir text NOT NULL,
  workspace text NOT NULL,
  mode text NOT NULL,
  PRIMARY KEY (work_manifest_id, dir, workspace),
  FOREIGN KEY (repository_id, dir, workspace, mode) REFERENCES dirspace_modes (repository_id, dir, workspace, mode) ON DELETE CASCADE
);
CREATE INDEX running_dirspaces_of_mode ON running_dirspaces (repository_id, dir, workspace);
CREATE UNIQUE INDEX running_dirspaces_one_apply ON running_dirspaces (repository_id, dir, workspace) WHERE mode = 'apply';

-- From the beginning of an apply its pull request holds the directories, until merge, close or unlock.
CREATE TABLE dirspace_holds (
  repository_id uuid NOT NULL,
  dir text NOT NULL,
  workspace text NOT NULL,
  pull_number integer NOT NULL,
  work_manifest_id uuid REFERENCES work_manifests (id) ON DELETE SET NULL,
  username text,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (repository_id, dir, workspace),
  FOREIGN KEY (repository_id, pull_number) REFERENCES pull_requests (repository_id, number) ON DELETE CASCADE
);
CREATE INDEX dirspace_holds_of_pull_request ON dirspace_holds (repository_id, pull_number);

CREATE TABLE gates (
  id uuid PRIMARY KEY,
  repository_id uuid NOT NULL,
  pull_number integer NOT NULL,
  sha text NOT NULL,                      -- a gate belongs to the commit
  token text NOT NULL,
  name text,
  all_of text[] NOT NULL,
  any_of text[] NOT NULL,
  any_of_count integer NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (repository_id, pull_number, sha, token),
  FOREIGN KEY (repository_id, pull_number) REFERENCES pull_requests (repository_id, number) ON DELETE CASCADE
);
CREATE TABLE gate_approvals (
  gate_id uuid NOT NULL REFERENCES gates (id) ON DELETE CASCADE,
  username text NOT NULL,
  comment_id text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (gate_id, username)
);

-- Comments that were commands: each is answered once.
CREATE TABLE comment_commands (
  repository_id uuid NOT NULL REFERENCES repositories (id) ON DELETE CASCADE,
  comment_id text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  answered_at timestamptz,
  PRIMARY KEY (repository_id, comment_id)
);

-- Parts of plan files, each sealed; they go with the apply, with a newer plan and with the pull request.
CREATE TABLE plan_file_parts (
  id uuid PRIMARY KEY,
  work_manifest_id uuid NOT NULL REFERENCES work_manifests (id) ON DELETE CASCADE,
  position integer NOT NULL,
  seq integer NOT NULL,
  part bytea NOT NULL,                    -- sealed
  UNIQUE (work_manifest_id, position, seq)
);
CREATE TABLE plan_files (
  work_manifest_id uuid NOT NULL REFERENCES work_manifests (id) ON DELETE CASCADE,
  position integer NOT NULL,
  size bigint NOT NULL,
  sha256 bytea NOT NULL,
  PRIMARY KEY (work_manifest_id, position)
);

CREATE TABLE run_log_chunks (
  work_manifest_id uuid NOT NULL REFERENCES work_manifests (id) ON DELETE CASCADE,
  seq integer NOT NULL,
  at timestamptz NOT NULL DEFAULT now(),
  dir text,
  workspace text,
  text text NOT NULL,
  PRIMARY KEY (work_manifest_id, seq)
);

-- Machines of a tenant that run without a CI.
CREATE TABLE runner_pools (
  id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
  name text NOT NULL,
  token_hash bytea NOT NULL UNIQUE,
  created_at timestamptz NOT NULL DEFAULT now(),
  last_seen_at timestamptz,
  UNIQUE (tenant_id, name)
);

CREATE TABLE drift_schedules (
  repository_id uuid NOT NULL REFERENCES repositories (id) ON DELETE CASCADE,
  name text NOT NULL,
  schedule text NOT NULL CHECK (schedule IN ('hourly', 'daily', 'weekly', 'monthly')),
  tag_query text NOT NULL,
  is_reconciling boolean NOT NULL,
  window_start text,
  window_end text,
  next_at timestamptz NOT NULL,
  last_at timestamptz,
  PRIMARY KEY (repository_id, name)
);
CREATE INDEX drift_schedules_due ON drift_schedules (next_at);
