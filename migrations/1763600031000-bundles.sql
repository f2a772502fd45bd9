-- What a runner gets of a planned transaction. There is one for each, gone when the transaction ends.
CREATE TABLE transaction_bundles (
  tx_id uuid PRIMARY KEY REFERENCES transactions (id) ON DELETE CASCADE,
  id uuid NOT NULL,                              -- of this generation; page tokens carry it
  state_id uuid NOT NULL REFERENCES states (id) ON DELETE CASCADE,
  base_version integer NOT NULL,                 -- of the state that was read
  head text NOT NULL,                            -- the state part as a JSON object, without outputs and resources
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX transaction_bundles_by_state ON transaction_bundles (state_id);

CREATE TABLE transaction_bundle_entries (
  tx_id uuid NOT NULL REFERENCES transaction_bundles (tx_id) ON DELETE CASCADE,
  ordinal integer NOT NULL,
  kind text NOT NULL CHECK (kind IN ('hcl', 'file', 'output', 'resource')),
  is_context boolean NOT NULL,                   -- read so that others can be planned, not planned itself
  size integer NOT NULL,                         -- bytes of data
  data text NOT NULL,                            -- JSON text as it is served; an output as a member of an object
  PRIMARY KEY (tx_id, ordinal)
);
