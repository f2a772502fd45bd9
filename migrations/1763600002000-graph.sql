-- The queryable projection of the current document of each state. Keys are the first 16 bytes of a SHA-256 as uuid,
-- because an address may be longer than a btree entry.
CREATE TABLE resources (
  state_id uuid NOT NULL,
  key uuid NOT NULL,                             -- of the address
  address text COLLATE "C" NOT NULL,
  mode text NOT NULL,
  type text COLLATE "C" NOT NULL,
  name text NOT NULL,
  module text COLLATE "C",
  provider text COLLATE "C" NOT NULL,
  instance_count integer NOT NULL,
  PRIMARY KEY (state_id, key)
);

CREATE TABLE instances (
  state_id uuid NOT NULL,
  key uuid NOT NULL,                             -- of address and deposed key
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
  PRIMARY KEY (state_id, key)
);
-- With the default method attributes of 2 kB go out of line and scans are slower; the embedded server has no lz4.
DO $$ BEGIN
  ALTER TABLE instances ALTER attributes SET COMPRESSION lz4;
EXCEPTION WHEN feature_not_supported THEN NULL;
END $$;
CREATE INDEX instances_by_address ON instances (state_id, left(address, 512) COLLATE "C", key);
CREATE INDEX instances_by_type ON instances (state_id, type);
CREATE INDEX instances_of_tenant_by_type ON instances (tenant_id, type);

CREATE TABLE modules (
  state_id uuid NOT NULL REFERENCES states (id) ON DELETE CASCADE,
  key uuid NOT NULL,
  name text COLLATE "C" NOT NULL,                -- full address; the root module is `root`
  resource_count integer NOT NULL,
  instance_count integer NOT NULL,
  PRIMARY KEY (state_id, key)
);
CREATE TABLE providers (
  state_id uuid NOT NULL REFERENCES states (id) ON DELETE CASCADE,
  name text COLLATE "C" NOT NULL,
  instance_count integer NOT NULL,
  PRIMARY KEY (state_id, name)
);
CREATE TABLE outputs (
  state_id uuid NOT NULL REFERENCES states (id) ON DELETE CASCADE,
  key uuid NOT NULL,
  name text NOT NULL,
  value jsonb,                                   -- masked when sensitive
  type jsonb,
  sensitive boolean NOT NULL,
  PRIMARY KEY (state_id, key)
);
CREATE TABLE check_results (
  state_id uuid NOT NULL REFERENCES states (id) ON DELETE CASCADE,
  key uuid NOT NULL,
  config_addr text NOT NULL,
  object_kind text NOT NULL,
  status text NOT NULL,
  objects jsonb NOT NULL,                        -- [{object_addr, status, failure_messages}]
  PRIMARY KEY (state_id, key)
);

-- Summary numbers and the compressed adjacency of one state, rewritten by the write that changes them.
CREATE TABLE state_graphs (
  state_id uuid PRIMARY KEY REFERENCES states (id) ON DELETE CASCADE,
  version integer NOT NULL,                      -- of the state when the graph last changed
  stats jsonb NOT NULL,
  pairs bytea NOT NULL,                          -- range pairs of node ordinals
  keys bytea NOT NULL,                           -- 16 bytes a node, in node order
  nodes bytea NOT NULL                           -- deflated columns
);
ALTER TABLE state_graphs ALTER pairs SET STORAGE EXTERNAL, ALTER keys SET STORAGE EXTERNAL, ALTER nodes SET STORAGE EXTERNAL;

-- A `terraform_remote_state` of the consumer that reads the producer, named by group and workspace.
CREATE TABLE state_links (
  consumer_state_id uuid NOT NULL REFERENCES states (id) ON DELETE CASCADE,
  consumer_key uuid NOT NULL,                    -- instance key of the data source
  consumer_address text NOT NULL,
  group_id uuid NOT NULL,
  workspace text NOT NULL,
  values text[] NOT NULL DEFAULT '{}',           -- distinctive output values it read
  producer_keys uuid[],                          -- instances of the producer that feed it; null: the whole producer
  PRIMARY KEY (consumer_state_id, consumer_key)
);
CREATE INDEX state_links_of_producer ON state_links (group_id, workspace);

-- instances, resources, state_chunks and state_changes take rows in bulk; a foreign key would check each row of a
-- COPY (measured in docs/adr/0003), so one trigger per deleted state does the cascade.
CREATE FUNCTION delete_rows_of_state() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM instances WHERE state_id = OLD.id;
  DELETE FROM resources WHERE state_id = OLD.id;
  DELETE FROM state_changes WHERE state_id = OLD.id;
  DELETE FROM state_chunks WHERE state_id = OLD.id;
  RETURN OLD;
END $$;
CREATE TRIGGER states_cascade BEFORE DELETE ON states FOR EACH ROW EXECUTE FUNCTION delete_rows_of_state();
