-- For conditions of SQL queries over all states of a tenant (docs/adr/0005-sql-queries.md). Entries wait in a list until
-- autovacuum or 32 MB of them sort them in, so that a first import pays little for its some sixty paths a row.
CREATE INDEX instances_by_attributes ON instances USING gin (attributes jsonb_path_ops)
  WITH (fastupdate = on, gin_pending_list_limit = 32768);
