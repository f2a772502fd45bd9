-- Hashes of configuration blocks: those a client recorded with a transaction, and those last applied to a state.
CREATE TABLE transaction_revisions (
  tx_id uuid NOT NULL REFERENCES transactions (id) ON DELETE CASCADE,
  state_id uuid NOT NULL REFERENCES states (id) ON DELETE CASCADE,
  node text COLLATE "C" NOT NULL,
  hash text NOT NULL,
  PRIMARY KEY (tx_id, state_id, node)
);
CREATE TABLE state_revisions (
  state_id uuid NOT NULL REFERENCES states (id) ON DELETE CASCADE,
  node text COLLATE "C" NOT NULL,
  hash text NOT NULL,
  PRIMARY KEY (state_id, node)
);
