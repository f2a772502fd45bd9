-- A transaction is one unit of change over one or more states of a tenant. A write through the backend, an import or a
-- restore is one of its own that is committed at once.
CREATE TABLE transactions (
  id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
  kind text NOT NULL CHECK (kind IN ('plan', 'session', 'write')),
  state text NOT NULL CHECK (state IN ('open', 'previewing', 'previewed', 'committing', 'committed', 'failed', 'failed-committed', 'aborted')),
  params jsonb NOT NULL DEFAULT '{}',
  tags jsonb NOT NULL DEFAULT '{}',
  created_at timestamptz NOT NULL DEFAULT now(),
  created_by uuid,
  completed_at timestamptz,
  completed_by uuid,
  written_at timestamptz,                        -- last write of a session
  output_kind text CHECK (output_kind IN ('apply_stdout', 'run_failure'))
);
CREATE INDEX transactions_of_tenant ON transactions (tenant_id, created_at DESC, id DESC);
CREATE INDEX transactions_open_sessions ON transactions (created_at) WHERE kind = 'session' AND state = 'open';

-- Which states a transaction touches.
CREATE TABLE transaction_states (
  tx_id uuid NOT NULL REFERENCES transactions (id) ON DELETE CASCADE,
  state_id uuid NOT NULL REFERENCES states (id) ON DELETE CASCADE,
  PRIMARY KEY (tx_id, state_id)
);
CREATE INDEX transaction_states_by_state ON transaction_states (state_id);

-- What a client says a transaction consists of, in the order it said it.
CREATE TABLE transaction_logs (
  tx_id uuid NOT NULL REFERENCES transactions (id) ON DELETE CASCADE,
  seq bigint GENERATED ALWAYS AS IDENTITY,
  id uuid NOT NULL,
  action text NOT NULL,
  object_type text NOT NULL,
  state_id uuid REFERENCES states (id) ON DELETE CASCADE,
  user_id uuid,
  node_id text,                                  -- of a block, variable or file; derived by the service
  data jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tx_id, seq)
);

CREATE TABLE transaction_plan_operations (
  tx_id uuid NOT NULL REFERENCES transactions (id) ON DELETE CASCADE,
  state_id uuid NOT NULL REFERENCES states (id) ON DELETE CASCADE,
  key uuid NOT NULL,                             -- of address and deposed key
  address text COLLATE "C" NOT NULL,
  deposed text,
  operation text NOT NULL CHECK (operation IN ('create', 'update', 'replace', 'destroy')),
  PRIMARY KEY (tx_id, state_id, key)
);

CREATE TABLE transaction_output (
  tx_id uuid NOT NULL REFERENCES transactions (id) ON DELETE CASCADE,
  idx integer NOT NULL,
  data text NOT NULL,                            -- a slice of the payload's JSON text
  PRIMARY KEY (tx_id, idx)
);

-- Every version has named a transaction from the first on; those of a foreign state are told apart by the older one.
INSERT INTO transactions (id, tenant_id, kind, state, created_at, created_by, completed_at, completed_by)
SELECT DISTINCT ON (v.tx_id) v.tx_id, s.tenant_id, 'write', 'committed', v.created_at, v.created_by, v.created_at, v.created_by
FROM state_versions v JOIN states s ON s.id = v.state_id ORDER BY v.tx_id, v.created_at;
INSERT INTO transaction_states (tx_id, state_id)
SELECT DISTINCT v.tx_id, v.state_id FROM state_versions v JOIN states s ON s.id = v.state_id
  JOIN transactions t ON t.id = v.tx_id AND t.tenant_id = s.tenant_id;
