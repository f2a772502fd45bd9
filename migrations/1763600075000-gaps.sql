-- Gap analysis: whose cloud a tenant may see, what was found there, and how the last scan went.

-- Made once for each tenant and never changed: what a role in AWS must ask for before it lets the service in.
CREATE TABLE gap_tenants (
  tenant_id uuid PRIMARY KEY REFERENCES tenants (id) ON DELETE CASCADE,
  external_id text NOT NULL
);

CREATE TABLE gap_settings (
  id uuid PRIMARY KEY,                           -- another one after each change
  tenant_id uuid NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
  provider text NOT NULL CHECK (provider IN ('aws', 'azure', 'gcp')),
  settings jsonb NOT NULL,                       -- without secrets
  secret bytea,                                  -- sealed
  updated_at timestamptz NOT NULL,
  updated_by uuid,
  UNIQUE (tenant_id, provider)
);

-- One row, and so one scan, for each tenant and provider.
CREATE TABLE gap_scans (
  tenant_id uuid NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
  provider text NOT NULL CHECK (provider IN ('aws', 'azure', 'gcp')),
  task_id uuid NOT NULL,
  status text NOT NULL CHECK (status IN ('running', 'completed', 'failed')),
  started_at timestamptz NOT NULL,
  ended_at timestamptz,
  attempt_id uuid,                               -- inventory that the running attempt writes; an older attempt writes nothing any more
  error jsonb,                                   -- of the last scan
  inventory_id uuid,                             -- the last complete one
  fetched_at timestamptz,
  totals jsonb,                                  -- its number of resources by service
  PRIMARY KEY (tenant_id, provider)
);

-- What the cloud listed. The primary key is the order of answers, and keeps a resource that is listed twice once.
CREATE TABLE gap_inventory (
  tenant_id uuid NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
  inventory_id uuid NOT NULL,
  service text COLLATE "C" NOT NULL,
  resource_type text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  provider text NOT NULL,
  lookup_id text COLLATE "C" NOT NULL,           -- as `cloud_ids` has it
  other_ids text[] COLLATE "C",                  -- further ones
  name text,
  region text,
  account text,
  tags jsonb,
  attributes jsonb,                              -- what tells Terraform types apart
  phantom text,                                  -- rule that says the cloud made it
  supported boolean NOT NULL,
  PRIMARY KEY (tenant_id, inventory_id, service, resource_type, id)
);
