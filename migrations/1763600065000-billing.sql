-- Where bills are read from. Credentials are never stored: they belong to the operator's environment.
CREATE TABLE billing_sources (
  id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
  provider text NOT NULL CHECK (provider IN ('aws', 'azure', 'gcp')),
  source_uri text NOT NULL,
  region text,
  window_months integer NOT NULL CHECK (window_months BETWEEN 1 AND 120),
  enabled boolean NOT NULL,
  named_by_operator boolean NOT NULL,             -- an installation administrator gave the address
  last_status text CHECK (last_status IN ('queued', 'running', 'ok', 'error')),
  last_error text,
  last_started_at timestamptz,
  last_synced_at timestamptz,                     -- of the last successful sync
  last_row_count bigint,
  last_task_id uuid,
  requested_window_start date,                    -- of the sync that is queued or running
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);
-- By a hash: an address may be longer than what an index entry holds.
CREATE UNIQUE INDEX billing_sources_by_address ON billing_sources (tenant_id, provider, md5(source_uri));

-- Billed lines, summed up where they agree in everything but the hour. Missing texts are empty.
CREATE SEQUENCE billing_rows_id_seq;
CREATE TABLE billing_rows (
  id bigint NOT NULL DEFAULT nextval('billing_rows_id_seq'),
  source_id uuid NOT NULL REFERENCES billing_sources (id) ON DELETE CASCADE,
  tenant_id uuid NOT NULL,
  provider text NOT NULL,
  account_id text NOT NULL,
  charge_date date NOT NULL,
  billing_period text NOT NULL,                   -- YYYY-MM
  resource_id text NOT NULL,
  resource_type text NOT NULL,
  service_name text NOT NULL,
  region_id text NOT NULL,
  charge_category text NOT NULL,
  currency text NOT NULL,
  billed_cost numeric NOT NULL,
  effective_cost numeric NOT NULL,
  line_count bigint NOT NULL,
  tags jsonb NOT NULL,
  PRIMARY KEY (id, charge_date)
) PARTITION BY RANGE (charge_date);               -- one partition a month, made by the sync that needs it
ALTER SEQUENCE billing_rows_id_seq OWNED BY billing_rows.id;
CREATE INDEX billing_rows_by_source ON billing_rows (source_id, charge_date);
CREATE INDEX billing_rows_by_tenant ON billing_rows (tenant_id, charge_date);

-- Sums of billing_rows by billed resource, and the instance that caused them.
CREATE TABLE billed_resources (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  source_id uuid NOT NULL REFERENCES billing_sources (id) ON DELETE CASCADE,
  tenant_id uuid NOT NULL,
  provider text NOT NULL,
  resource_id text NOT NULL,                      -- empty: lines that name no resource
  resource_hash uuid NOT NULL GENERATED ALWAYS AS (md5(resource_id)::uuid) STORED,
  currency text NOT NULL,
  billed_cost numeric NOT NULL,
  line_count bigint NOT NULL,
  first_date date NOT NULL,
  last_date date NOT NULL,
  region_id text NOT NULL,
  resource_type text NOT NULL,
  service_name text NOT NULL,
  summed_at timestamptz NOT NULL,                 -- of the load that made the sums
  state_id uuid REFERENCES states (id) ON DELETE SET NULL,
  address text COLLATE "C"                        -- stays when the state is deleted, until it is matched again
);
CREATE UNIQUE INDEX billed_resources_of_source ON billed_resources (source_id, provider, currency, resource_hash);
CREATE INDEX billed_resources_by_tenant ON billed_resources (tenant_id);
CREATE INDEX billed_resources_by_state ON billed_resources (state_id) WHERE state_id IS NOT NULL;
CREATE INDEX billed_resources_to_match ON billed_resources (tenant_id) WHERE state_id IS NULL AND address IS NOT NULL;

-- The ids under which cloud_ids may hold a billed resource.
CREATE TABLE billed_resource_ids (
  resource bigint NOT NULL REFERENCES billed_resources (id) ON DELETE CASCADE,
  id text COLLATE "C" NOT NULL,
  tenant_id uuid NOT NULL,
  provider text NOT NULL,
  PRIMARY KEY (resource, id)
);
CREATE INDEX billed_resource_ids_by_id ON billed_resource_ids (tenant_id, provider, id);

-- When the attribution of a tenant was computed, and by which version of the rules.
CREATE TABLE billing_attributions (
  tenant_id uuid PRIMARY KEY REFERENCES tenants (id) ON DELETE CASCADE,
  computed_at timestamptz NOT NULL,
  matcher integer NOT NULL
);

-- Cloud ids that instances gained or lost since: their billed resources are matched again.
CREATE TABLE billing_rematches (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant_id uuid NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
  ids text[]                                      -- null: all of the tenant
);
CREATE INDEX billing_rematches_by_tenant ON billing_rematches (tenant_id);
