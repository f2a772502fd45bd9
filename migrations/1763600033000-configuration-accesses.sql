-- Parts of a configuration that transactions read and write. Kept for a while after a transaction was applied: who planned
-- before that, and now changes what it read, or read what it changed, is refused.
CREATE TABLE configuration_accesses (
  tx_id uuid NOT NULL REFERENCES transactions (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
  state_id uuid NOT NULL REFERENCES states (id) ON DELETE CASCADE,
  key uuid NOT NULL,                             -- as in state_configuration
  access "char" NOT NULL CHECK (access IN ('r', 'w')),
  hash text,                                     -- of what is written; null: it goes, or all of it does
  applied xid8,                                  -- by which database transaction; null: not yet
  applied_at timestamptz,
  PRIMARY KEY (tx_id, state_id, key)
);
CREATE INDEX configuration_accesses_by_key ON configuration_accesses (state_id, key);
CREATE INDEX configuration_accesses_by_age ON configuration_accesses (applied_at) WHERE applied_at IS NOT NULL;
-- What was committed when the bundle was made; null: when the transaction was created.
ALTER TABLE transaction_states ADD base_snapshot pg_snapshot;
