-- The possible bases of a write are found by serial, by connection and by the name of a run, however many there are.
CREATE INDEX state_bases_of_serial ON state_bases (state_id, credential, serial);
CREATE INDEX state_bases_of_connection ON state_bases (state_id, connection, at DESC);
CREATE INDEX state_bases_of_run ON state_bases (state_id, run_name, at DESC) WHERE run_name IS NOT NULL;
DROP INDEX state_bases_of_credential;
