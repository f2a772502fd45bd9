-- An append of log entries that is sent again after its answer was lost is told by its key, and stores nothing twice.
CREATE TABLE transaction_appends (
  tx_id uuid NOT NULL REFERENCES transactions (id) ON DELETE CASCADE,
  key text NOT NULL,                             -- hash of the credential and the caller's key
  appended integer NOT NULL,
  PRIMARY KEY (tx_id, key)
);
