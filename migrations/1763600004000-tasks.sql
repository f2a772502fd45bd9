-- Work that outlives a request. The row is the truth: a job in a queue only says that it is time to look at it.
CREATE TABLE tasks (
  id uuid PRIMARY KEY,
  kind text NOT NULL,
  state text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'running', 'completed', 'failed', 'aborted')),
  tenant_id uuid REFERENCES tenants (id) ON DELETE CASCADE,  -- its members see the task; null: only its creator
  created_by uuid,
  payload jsonb NOT NULL,                        -- ids only
  attempts integer NOT NULL DEFAULT 0,
  done bigint,                                   -- progress
  total bigint,
  message text,
  error text,                                    -- id of the error it failed with
  created_at timestamptz NOT NULL DEFAULT now(),
  started_at timestamptz,
  seen_at timestamptz,                           -- last sign of life of whoever works on it
  finished_at timestamptz
);
CREATE INDEX tasks_unfinished ON tasks (created_at) WHERE state IN ('pending', 'running');

CREATE TABLE task_results (
  task_id uuid NOT NULL REFERENCES tasks (id) ON DELETE CASCADE,
  idx integer NOT NULL,
  data text NOT NULL,                            -- a slice of the result's JSON text, cut between code points
  PRIMARY KEY (task_id, idx)
);
