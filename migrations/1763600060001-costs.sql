-- What states cost: snapshots, what each instance costs from when to when, and sums by provider, type and tag.

-- Up to which version a state is priced, and with what. A state is due while its own version is newer.
CREATE TABLE cost_states (
  state_id uuid PRIMARY KEY REFERENCES states (id) ON DELETE CASCADE,
  tenant_id uuid NOT NULL,
  priced_version integer NOT NULL,               -- -1: never
  basis text NOT NULL,                           -- price book, rules and settings that the items were priced with
  usage text NOT NULL,                           -- usage documents that they were priced with
  seq integer NOT NULL,                          -- number of the newest snapshot; 0: none
  snapshot_id uuid,                              -- the newest snapshot
  snapshot_at timestamptz,
  regions jsonb NOT NULL DEFAULT '{}'            -- provider, then region, to the number of instances that tell it
);
CREATE INDEX cost_states_of_tenant ON cost_states (tenant_id);

CREATE TABLE cost_snapshots (
  id uuid PRIMARY KEY,
  state_id uuid NOT NULL REFERENCES states (id) ON DELETE CASCADE,
  tenant_id uuid NOT NULL,
  kind text NOT NULL CHECK (kind IN ('current', 'planned')),
  seq integer,                                   -- of current ones, rising within a state
  tx_id uuid,
  triggered_by text NOT NULL,
  version integer,                               -- of the state
  currency text NOT NULL,                        -- the one that most instances have
  monthly_cost numeric NOT NULL,
  hourly_cost numeric NOT NULL,
  other_totals jsonb NOT NULL DEFAULT '[]',      -- totals in further currencies
  resource_count integer NOT NULL,
  free_count integer NOT NULL,
  supported_count integer NOT NULL,
  priced_count integer NOT NULL,
  price_book text NOT NULL,                      -- version of the book
  error_message text,                            -- why a state that cannot be read was priced as empty
  calculated_at timestamptz NOT NULL
);
CREATE INDEX cost_snapshots_of_state ON cost_snapshots (state_id, seq);
CREATE INDEX cost_snapshots_of_tenant ON cost_snapshots (tenant_id, calculated_at);
CREATE INDEX cost_snapshots_planned ON cost_snapshots (tx_id) WHERE kind = 'planned';

-- What an instance costs from one snapshot on until another; a new row only where something differs.
CREATE TABLE cost_items (
  state_id uuid NOT NULL,
  key uuid NOT NULL,                             -- of the instance: address plus deposed key
  from_seq integer NOT NULL,
  until_seq integer NOT NULL DEFAULT 2147483647, -- first snapshot that it does not belong to
  tenant_id uuid NOT NULL,
  address text COLLATE "C" NOT NULL,
  deposed text,
  type text COLLATE "C" NOT NULL,
  provider text COLLATE "C" NOT NULL,
  region text,
  own_region text,                               -- what the instance itself tells
  cloud_resource_id text,
  class "char" NOT NULL CHECK (class IN ('p', 'f', 'u')), -- costs something, free, unknown type
  is_priced boolean NOT NULL,
  currency text,
  monthly_cost numeric,
  hourly_cost numeric,
  other_costs text,                              -- JSON: costs in further currencies
  tags text,                                     -- JSON
  components text NOT NULL,                      -- JSON, as the API answers it
  mark uuid NOT NULL,                            -- hash of all of the above
  PRIMARY KEY (state_id, key, from_seq)
);
CREATE INDEX cost_items_by_address ON cost_items (state_id, left(address, 512) COLLATE "C", until_seq);
DO $$ BEGIN
  ALTER TABLE cost_items ALTER components SET COMPRESSION lz4, ALTER tags SET COMPRESSION lz4;
EXCEPTION WHEN feature_not_supported THEN NULL;
END $$;

-- Which instance can be asked for by what (`t`), and which one asked for it (`a`). `link`: hash of type and id.
CREATE TABLE cost_links (
  state_id uuid NOT NULL,
  link uuid NOT NULL,
  role "char" NOT NULL CHECK (role IN ('t', 'a')),
  key uuid NOT NULL,
  PRIMARY KEY (state_id, link, role, key)
);
CREATE INDEX cost_links_of_instance ON cost_links (state_id, key);

-- Sums of a state from one day on until another (UTC). They stay when the state goes, for the history.
CREATE TABLE cost_sums (
  tenant_id uuid NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
  state_id uuid NOT NULL,
  dimension "char" NOT NULL CHECK (dimension IN ('p', 'r', 't')), -- provider, resource type, tag
  id uuid NOT NULL,                              -- hash of tag key and name
  tag_key text COLLATE "C" NOT NULL DEFAULT '',
  name text COLLATE "C" NOT NULL,
  currency text NOT NULL,                        -- empty: instances without a cost
  from_day date NOT NULL,
  until_day date NOT NULL DEFAULT 'infinity',
  resource_count integer NOT NULL,
  monthly_cost numeric NOT NULL,
  hourly_cost numeric NOT NULL,
  PRIMARY KEY (state_id, dimension, id, currency, from_day)
);
CREATE INDEX cost_sums_current ON cost_sums (tenant_id, dimension, tag_key) WHERE until_day = 'infinity';
CREATE INDEX cost_sums_in_time ON cost_sums (tenant_id, dimension, tag_key, until_day);

-- Days on which a state was priced: the first one to the one before it was deleted.
CREATE FUNCTION end_costs_of_state() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  today date := (now() AT TIME ZONE 'UTC')::date;
BEGIN
  DELETE FROM cost_items WHERE state_id = OLD.id;
  DELETE FROM cost_links WHERE state_id = OLD.id;
  DELETE FROM cost_sums WHERE state_id = OLD.id AND until_day = 'infinity' AND from_day >= today;
  UPDATE cost_sums SET until_day = today WHERE state_id = OLD.id AND until_day = 'infinity';
  RETURN OLD;
END $$;
CREATE TRIGGER states_costs BEFORE DELETE ON states FOR EACH ROW EXECUTE FUNCTION end_costs_of_state();

-- What a plan would cost; `delta` is computed by a job.
CREATE TABLE cost_plans (
  tx_id uuid PRIMARY KEY REFERENCES transactions (id) ON DELETE CASCADE,
  tenant_id uuid NOT NULL,
  attempt uuid NOT NULL,                         -- differs for every preview of the transaction
  status text NOT NULL CHECK (status IN ('computing', 'completed', 'failed')),
  delta jsonb,
  computed_at timestamptz
);
CREATE INDEX cost_plans_computing ON cost_plans (tx_id) WHERE status = 'computing';

-- Usage of a tenant, or of one of its states.
CREATE TABLE cost_usage (
  id uuid PRIMARY KEY,                           -- of the state or tenant
  tenant_id uuid NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
  state_id uuid REFERENCES states (id) ON DELETE CASCADE,
  document text NOT NULL,                        -- JSON, every digit of it
  mark uuid NOT NULL,                            -- hash of it
  updated_at timestamptz NOT NULL
);
