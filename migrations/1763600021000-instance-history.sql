-- What an instance was, and from when to when (docs/adr/0006-time-travel.md). A row that goes is kept in
-- `instance_history` by a trigger, so that the cost of history is that of the change; the rows of now know since when.
ALTER TABLE instances ADD COLUMN since integer NOT NULL
  DEFAULT coalesce(nullif(current_setting('service.graph_version', true), '')::integer, 0); -- version that wrote the row; 0: unknown
CREATE INDEX instances_since ON instances (state_id, since);

CREATE TABLE instance_history (
  state_id uuid NOT NULL,
  key uuid NOT NULL,
  tenant_id uuid NOT NULL,
  address text COLLATE "C" NOT NULL,
  resource_address text COLLATE "C" NOT NULL,
  mode text NOT NULL,
  type text COLLATE "C" NOT NULL,
  name text NOT NULL,
  module text COLLATE "C",
  provider text COLLATE "C" NOT NULL,
  index_key jsonb,
  deposed text,
  status text,
  schema_version bigint,
  create_before_destroy boolean NOT NULL,
  sensitive_attributes jsonb,
  attributes jsonb NOT NULL,
  hash bytea NOT NULL,
  since integer NOT NULL,                        -- version that wrote it
  until integer NOT NULL,                        -- version that changed or removed it
  PRIMARY KEY (state_id, until, key)
);
ALTER TABLE instance_history SET (toast_tuple_target = 8160);
DO $$ BEGIN
  ALTER TABLE instance_history ALTER attributes SET COMPRESSION lz4;
EXCEPTION WHEN feature_not_supported THEN NULL;
END $$;
CREATE INDEX instance_history_of_tenant_by_type ON instance_history (tenant_id, type);
CREATE INDEX instance_history_by_address ON instance_history (state_id, left(address, 512) COLLATE "C");

-- When and by whom each version was written; stays when the document itself is pruned.
CREATE TABLE state_version_times (
  state_id uuid NOT NULL REFERENCES states (id) ON DELETE CASCADE,
  version integer NOT NULL,
  tx_id uuid NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (state_id, version)
);
CREATE INDEX state_version_times_in_order ON state_version_times (created_at);
INSERT INTO state_version_times SELECT state_id, version, tx_id, created_at FROM state_versions;
CREATE FUNCTION keep_state_version_times() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO state_version_times VALUES (NEW.state_id, NEW.version, NEW.tx_id, NEW.created_at);
  RETURN NULL;
END $$;
CREATE TRIGGER state_versions_times AFTER INSERT ON state_versions FOR EACH ROW EXECUTE FUNCTION keep_state_version_times();

CREATE FUNCTION keep_instance_history() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  version integer := nullif(current_setting('service.graph_version', true), '')::integer;
BEGIN
  INSERT INTO instance_history
    SELECT state_id, key, tenant_id, address, resource_address, mode, type, name, module, provider, index_key, deposed, status,
      schema_version, create_before_destroy, sensitive_attributes, attributes, hash, since, version
    FROM gone WHERE since > 0 AND since < version;
  RETURN NULL;
END $$;
-- Only what a write deletes itself: a state that goes takes its history with it.
CREATE TRIGGER instances_history AFTER DELETE ON instances REFERENCING OLD TABLE AS gone FOR EACH STATEMENT
  WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION keep_instance_history();

-- History goes as far back as the documents are kept.
CREATE FUNCTION forget_instance_history() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM instance_history h USING (
    SELECT g.state_id, min(v.version) AS oldest FROM (SELECT DISTINCT state_id FROM gone) g
      JOIN state_versions v ON v.state_id = g.state_id GROUP BY g.state_id
  ) k WHERE h.state_id = k.state_id AND h.until <= k.oldest;
  RETURN NULL;
END $$;
CREATE TRIGGER state_versions_history AFTER DELETE ON state_versions REFERENCING OLD TABLE AS gone FOR EACH STATEMENT
  WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION forget_instance_history();

CREATE OR REPLACE FUNCTION delete_rows_of_state() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM instances WHERE state_id = OLD.id;
  DELETE FROM instance_history WHERE state_id = OLD.id;
  DELETE FROM resources WHERE state_id = OLD.id;
  DELETE FROM state_changes WHERE state_id = OLD.id;
  DELETE FROM state_chunks WHERE state_id = OLD.id;
  RETURN OLD;
END $$;
