-- What a planned transaction needs to be previewed, committed and applied.

-- "Committed after the transaction was created" is told exactly: what its snapshot did not see.
ALTER TABLE transactions ADD snapshot pg_snapshot;
ALTER TABLE transactions ALTER snapshot SET DEFAULT pg_current_snapshot();
ALTER TABLE state_versions ADD xid xid8;
ALTER TABLE state_versions ALTER xid SET DEFAULT pg_current_xact_id();
-- The version of the state that the transaction stands on; null: the newest one that its snapshot saw.
ALTER TABLE transaction_states ADD base_version integer;
-- The task of the step that goes on.
ALTER TABLE transactions ADD task_id uuid;
CREATE INDEX transactions_in_a_step ON transactions (task_id) WHERE state IN ('previewing', 'committing');

-- What an active transaction was given to read and will write; gone when it ends, for then state_changes says it.
CREATE TABLE transaction_nodes (
  tx_id uuid NOT NULL REFERENCES transactions (id) ON DELETE CASCADE,
  state_id uuid NOT NULL REFERENCES states (id) ON DELETE CASCADE,
  key uuid NOT NULL,                             -- of an instance or output, as in state_changes
  access "char" NOT NULL CHECK (access IN ('r', 'w', 'd')),  -- read, written, or data that is only looked up
  address text NOT NULL,
  given_hash text,                               -- of what the runner was given; null: it did not exist
  PRIMARY KEY (tx_id, state_id, key)
);
CREATE INDEX transaction_nodes_by_key ON transaction_nodes (state_id, key);

CREATE TABLE transaction_plans (
  tx_id uuid PRIMARY KEY REFERENCES transactions (id) ON DELETE CASCADE,
  has_changes boolean NOT NULL,
  plan text NOT NULL,                            -- as the client prints it
  plan_json jsonb NOT NULL,                      -- resource and output changes, sensitive values masked
  created_at timestamptz NOT NULL DEFAULT now()
);

-- A report of a runner that comes in parts, sealed with its token until it is whole.
CREATE TABLE transaction_report_parts (
  task_id uuid NOT NULL REFERENCES tasks (id) ON DELETE CASCADE,
  idx integer NOT NULL,
  sealed bytea NOT NULL,
  PRIMARY KEY (task_id, idx)
);
ALTER TABLE transaction_report_parts ALTER sealed SET STORAGE EXTERNAL;

-- What a runner said it did to the infrastructure. Kept when it could not be applied.
CREATE TABLE transaction_reports (
  tx_id uuid PRIMARY KEY REFERENCES transactions (id) ON DELETE CASCADE,
  failed boolean NOT NULL,
  state text NOT NULL,                           -- the document it left, every digit of it
  created_at timestamptz NOT NULL DEFAULT now()
);

-- Hashes that a transaction recorded are its own where they differ from those that were stored then.
ALTER TABLE transaction_revisions ADD base_hash text;
