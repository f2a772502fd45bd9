-- Security scanning: what is wrong, how bad it is here, since when, and what was accepted.

-- Up to which version a state is scanned, and with which checks. A state is due while its own version is newer.
CREATE TABLE security_states (
  state_id uuid PRIMARY KEY REFERENCES states (id) ON DELETE CASCADE,
  tenant_id uuid NOT NULL,
  scanned_version integer NOT NULL,              -- -1: never
  graph_mark text NOT NULL DEFAULT '',           -- of the graph that blast radii were counted in
  upstream uuid[] NOT NULL DEFAULT '{}',         -- states that it read then, directly or through others
  scanner_version text NOT NULL,
  scanned_at timestamptz NOT NULL,               -- last scan of any kind
  whole_at timestamptz NOT NULL,                 -- last scan of the whole state
  last_scan_id uuid NOT NULL
);
CREATE INDEX security_states_of_tenant ON security_states (tenant_id);

-- Tenants that lost a state: what was looked up in it must be scanned again.
CREATE TABLE security_losses (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant_id uuid NOT NULL
);
CREATE FUNCTION note_security_loss() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO security_losses (tenant_id) VALUES (OLD.tenant_id);
  RETURN NULL;
END $$;
CREATE TRIGGER security_states_loss AFTER DELETE ON security_states FOR EACH ROW EXECUTE FUNCTION note_security_loss();

CREATE TABLE security_scans (
  id uuid PRIMARY KEY,
  state_id uuid NOT NULL REFERENCES states (id) ON DELETE CASCADE,
  tenant_id uuid NOT NULL,
  kind text NOT NULL CHECK (kind IN ('current', 'planned')),
  status text NOT NULL CHECK (status IN ('running', 'completed', 'failed')),
  scanner_version text NOT NULL,
  scanned_at timestamptz NOT NULL,
  finding_count integer NOT NULL DEFAULT 0,
  severity_breakdown jsonb,
  triggered_by text NOT NULL,
  tx_id uuid,
  serial bigint,
  version integer,
  instance_count integer,
  error_message text,
  seq bigint GENERATED ALWAYS AS IDENTITY
);
CREATE INDEX security_scans_of_state ON security_scans (state_id, seq DESC);
CREATE INDEX security_scans_of_tenant ON security_scans (tenant_id);
CREATE INDEX security_scans_planned ON security_scans (tx_id) WHERE kind = 'planned';

-- Which transactions' writes a current scan covers.
CREATE TABLE security_scan_transactions (
  tx_id uuid NOT NULL,
  scan_id uuid NOT NULL REFERENCES security_scans (id) ON DELETE CASCADE,
  state_id uuid NOT NULL,
  PRIMARY KEY (tx_id, scan_id)
);
CREATE INDEX security_scan_transactions_by_scan ON security_scan_transactions (scan_id);

-- One row for each time that a check failed on an instance, from the scan that saw it first to the one that did not any more.
CREATE TABLE security_findings (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  tenant_id uuid NOT NULL,
  state_id uuid NOT NULL REFERENCES states (id) ON DELETE CASCADE,
  key uuid NOT NULL,                             -- of the instance
  check_id text COLLATE "C" NOT NULL,
  address text COLLATE "C" NOT NULL,
  fingerprint text NOT NULL,
  severity_base smallint NOT NULL,               -- 4 critical to 0 info
  severity smallint NOT NULL,                    -- effective
  severity_reason text,
  category text NOT NULL,
  reachable boolean,                             -- null: no rule knows the instance, or the data does not tell
  evidence text,
  blast_resources integer NOT NULL DEFAULT 0,
  blast_modules integer NOT NULL DEFAULT 0,
  blast_states integer NOT NULL DEFAULT 0,       -- resources in other states
  scan_id uuid NOT NULL,                         -- that wrote the row last
  first_seen_scan_id uuid NOT NULL,
  first_seen_at timestamptz NOT NULL,
  resolved_scan_id uuid,
  resolved_at timestamptz,
  waiver_id uuid,                                -- of the matching waivers the one that ends last
  waived_until timestamptz NOT NULL DEFAULT '-infinity'
);
CREATE UNIQUE INDEX security_findings_open ON security_findings (state_id, fingerprint) WHERE resolved_at IS NULL;
CREATE INDEX security_findings_of_instance ON security_findings (state_id, key) WHERE resolved_at IS NULL;
CREATE INDEX security_findings_of_state ON security_findings (state_id, severity DESC, address, check_id, id) WHERE resolved_at IS NULL;
CREATE INDEX security_findings_of_tenant ON security_findings (tenant_id, severity DESC, address, check_id, id) WHERE resolved_at IS NULL;
CREATE INDEX security_findings_resolved ON security_findings (state_id, severity DESC, address, check_id, id) WHERE resolved_at IS NOT NULL;
CREATE INDEX security_findings_resolved_at ON security_findings (resolved_at) WHERE resolved_at IS NOT NULL;
CREATE INDEX security_findings_added_by ON security_findings (first_seen_scan_id);
CREATE INDEX security_findings_resolved_by ON security_findings (resolved_scan_id) WHERE resolved_scan_id IS NOT NULL;
CREATE INDEX security_findings_waived ON security_findings (waiver_id) WHERE waiver_id IS NOT NULL;
CREATE INDEX security_findings_of_check ON security_findings (tenant_id, check_id) WHERE resolved_at IS NULL;

-- Open findings by what summaries tell apart. A waiver ends by its time alone, so the time is part of the key.
CREATE TABLE security_counts (
  state_id uuid NOT NULL,
  check_id text COLLATE "C" NOT NULL,
  severity smallint NOT NULL,
  reachable boolean NOT NULL,
  waived_until timestamptz NOT NULL,
  tenant_id uuid NOT NULL,
  count integer NOT NULL,
  PRIMARY KEY (state_id, check_id, severity, reachable, waived_until)
);
CREATE INDEX security_counts_of_tenant ON security_counts (tenant_id);

-- How many findings were opened less resolved on each UTC day, by what the history tells apart.
CREATE TABLE security_days (
  state_id uuid NOT NULL,
  day date NOT NULL,
  severity smallint NOT NULL,
  blast integer NOT NULL,
  waived_until timestamptz NOT NULL,
  tenant_id uuid NOT NULL,
  delta integer NOT NULL,
  PRIMARY KEY (state_id, day, severity, blast, waived_until)
);
CREATE INDEX security_days_of_tenant ON security_days (tenant_id, day);

-- Findings are written under a lock of their tenant, so nobody else changes these counters meanwhile.
CREATE TYPE security_change AS (
  tenant_id uuid, state_id uuid, check_id text, severity smallint, reachable boolean, blast integer,
  waived_until timestamptz, opened date, resolved date, sign integer);
CREATE FUNCTION apply_security_changes(changes security_change[]) RETURNS void LANGUAGE sql AS $$
  INSERT INTO security_counts AS c (state_id, check_id, severity, reachable, waived_until, tenant_id, count)
    SELECT state_id, check_id, severity, reachable, waived_until, min(tenant_id::text)::uuid, sum(sign)
    FROM unnest(changes) WHERE resolved IS NULL GROUP BY 1, 2, 3, 4, 5 HAVING sum(sign) <> 0
    ON CONFLICT (state_id, check_id, severity, reachable, waived_until) DO UPDATE SET count = c.count + EXCLUDED.count;
  DELETE FROM security_counts WHERE state_id IN (SELECT DISTINCT state_id FROM unnest(changes)) AND count = 0;
  INSERT INTO security_days AS d (state_id, day, severity, blast, waived_until, tenant_id, delta)
    SELECT state_id, day, severity, blast, waived_until, min(tenant_id::text)::uuid, sum(sign) FROM (
      SELECT state_id, opened AS day, severity, blast, waived_until, tenant_id, sign FROM unnest(changes)
      UNION ALL
      SELECT state_id, resolved, severity, blast, waived_until, tenant_id, -sign FROM unnest(changes) WHERE resolved IS NOT NULL) e
    GROUP BY 1, 2, 3, 4, 5 HAVING sum(sign) <> 0
    ON CONFLICT (state_id, day, severity, blast, waived_until) DO UPDATE SET delta = d.delta + EXCLUDED.delta;
  DELETE FROM security_days WHERE state_id IN (SELECT DISTINCT state_id FROM unnest(changes)) AND delta = 0;
$$;
CREATE FUNCTION count_security_insert() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM apply_security_changes(array_agg(change)) FROM (SELECT (tenant_id, state_id, check_id, severity, coalesce(reachable, false), blast_resources, waived_until, (first_seen_at AT TIME ZONE 'UTC')::date, (resolved_at AT TIME ZONE 'UTC')::date, 1)::security_change AS change FROM after_rows) c HAVING count(*) > 0;
  RETURN NULL;
END $$;
CREATE TRIGGER security_findings_insert AFTER INSERT ON security_findings REFERENCING NEW TABLE AS after_rows
  FOR EACH STATEMENT EXECUTE FUNCTION count_security_insert();
CREATE FUNCTION count_security_update() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM apply_security_changes(array_agg(change)) FROM (SELECT (tenant_id, state_id, check_id, severity, coalesce(reachable, false), blast_resources, waived_until, (first_seen_at AT TIME ZONE 'UTC')::date, (resolved_at AT TIME ZONE 'UTC')::date, -1)::security_change AS change FROM before_rows UNION ALL SELECT (tenant_id, state_id, check_id, severity, coalesce(reachable, false), blast_resources, waived_until, (first_seen_at AT TIME ZONE 'UTC')::date, (resolved_at AT TIME ZONE 'UTC')::date, 1)::security_change AS change FROM after_rows) c HAVING count(*) > 0;
  RETURN NULL;
END $$;
CREATE TRIGGER security_findings_update AFTER UPDATE ON security_findings REFERENCING OLD TABLE AS before_rows NEW TABLE AS after_rows
  FOR EACH STATEMENT EXECUTE FUNCTION count_security_update();
CREATE FUNCTION count_security_delete() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM apply_security_changes(array_agg(change)) FROM (SELECT (tenant_id, state_id, check_id, severity, coalesce(reachable, false), blast_resources, waived_until, (first_seen_at AT TIME ZONE 'UTC')::date, (resolved_at AT TIME ZONE 'UTC')::date, -1)::security_change AS change FROM before_rows) c HAVING count(*) > 0;
  RETURN NULL;
END $$;
CREATE TRIGGER security_findings_delete AFTER DELETE ON security_findings REFERENCING OLD TABLE AS before_rows
  FOR EACH STATEMENT EXECUTE FUNCTION count_security_delete();

-- What the rules could say of an instance: reachable from the internet, or shown not to be.
CREATE TABLE security_reach (
  state_id uuid NOT NULL REFERENCES states (id) ON DELETE CASCADE,
  key uuid NOT NULL,
  tenant_id uuid NOT NULL,
  address text COLLATE "C" NOT NULL,
  type text NOT NULL,
  reachable boolean NOT NULL,
  evidence text,
  ports text,
  PRIMARY KEY (state_id, key)
);
CREATE INDEX security_reach_of_tenant ON security_reach (tenant_id) WHERE reachable;

CREATE TABLE security_waivers (
  id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
  check_id text NOT NULL,                        -- as it was given: ours, an alias, or *
  matched_id text NOT NULL,                      -- our id, or *
  state_id uuid REFERENCES states (id) ON DELETE CASCADE,
  address text,
  reason text NOT NULL,
  expires_at timestamptz,
  created_at timestamptz NOT NULL,
  created_by uuid,
  created_by_name text
);
CREATE INDEX security_waivers_of_tenant ON security_waivers (tenant_id, created_at DESC);

CREATE TABLE security_custom_checks (
  tenant_id uuid NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
  check_id text COLLATE "C" NOT NULL,
  title text NOT NULL,
  severity text NOT NULL,
  category text NOT NULL,
  resource_types text[] NOT NULL,
  applies jsonb,                                 -- condition `when`
  fail jsonb NOT NULL,
  remediation text,
  updated_at timestamptz NOT NULL,
  updated_by uuid,
  PRIMARY KEY (tenant_id, check_id)
);

-- What a plan would add and resolve, while the plan stands and until the scan of its commit.
CREATE TABLE security_impacts (
  tx_id uuid PRIMARY KEY REFERENCES transactions (id) ON DELETE CASCADE,
  tenant_id uuid NOT NULL,
  status text NOT NULL CHECK (status IN ('computing', 'completed', 'failed')),
  attempt uuid NOT NULL,                         -- a scan of an older plan stores nothing
  computed_at timestamptz
);
CREATE TABLE security_planned_findings (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  tx_id uuid NOT NULL REFERENCES security_impacts (tx_id) ON DELETE CASCADE,
  scan_id uuid NOT NULL REFERENCES security_scans (id) ON DELETE CASCADE,
  tenant_id uuid NOT NULL,
  state_id uuid NOT NULL,
  effect text NOT NULL CHECK (effect IN ('added', 'resolved')),
  key uuid NOT NULL,
  check_id text COLLATE "C" NOT NULL,
  address text COLLATE "C" NOT NULL,
  fingerprint text NOT NULL,
  severity_base smallint NOT NULL,
  severity smallint NOT NULL,
  severity_reason text,
  category text NOT NULL,
  reachable boolean,
  evidence text,
  blast_resources integer NOT NULL DEFAULT 0,
  blast_modules integer NOT NULL DEFAULT 0,
  blast_states integer NOT NULL DEFAULT 0,
  source_file text,
  source_start_line integer,
  source_end_line integer
);
CREATE INDEX security_planned_findings_of_tx ON security_planned_findings (tx_id);
CREATE INDEX security_planned_findings_of_tenant ON security_planned_findings (tenant_id);
