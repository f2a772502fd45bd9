-- What the states of a tenant cost now, over all of them, by provider, resource type and tag: a rollup reads as many rows as
-- there are names, however many states there are. `id` is the hash of tag key and name, as in cost_sums.
CREATE TABLE cost_totals (
  tenant_id uuid NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
  dimension "char" NOT NULL CHECK (dimension IN ('p', 'r', 't')), -- provider, resource type, tag
  tag_key text COLLATE "C" NOT NULL DEFAULT '',
  id uuid NOT NULL,
  currency text COLLATE "C" NOT NULL,            -- empty: instances without a cost
  name text COLLATE "C" NOT NULL,
  resource_count integer NOT NULL,
  monthly_cost numeric NOT NULL,
  hourly_cost numeric NOT NULL,
  PRIMARY KEY (tenant_id, dimension, tag_key, id, currency)
);

-- As cost_changes, by tag.
CREATE TABLE cost_tag_changes (
  tenant_id uuid NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
  tag_key text COLLATE "C" NOT NULL,
  day date NOT NULL,
  id uuid NOT NULL,
  currency text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  resource_count integer NOT NULL,
  monthly_cost numeric NOT NULL,
  hourly_cost numeric NOT NULL,
  PRIMARY KEY (tenant_id, tag_key, day, id, currency)
);

-- Tag keys whose values nearly tell instances apart. Both tables above leave them out, so that neither becomes as large as all
-- states of the tenant; what they cost is read from cost_sums.
CREATE TABLE cost_wide_tags (
  tenant_id uuid NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
  tag_key text COLLATE "C" NOT NULL,
  PRIMARY KEY (tenant_id, tag_key)
);

INSERT INTO cost_wide_tags (tenant_id, tag_key)
SELECT DISTINCT tenant_id, tag_key FROM cost_sums WHERE dimension = 't' GROUP BY tenant_id, state_id, tag_key HAVING count(DISTINCT id) > 500;

INSERT INTO cost_totals (tenant_id, dimension, tag_key, id, currency, name, resource_count, monthly_cost, hourly_cost)
SELECT s.tenant_id, s.dimension, s.tag_key, s.id, s.currency, min(s.name), sum(s.resource_count), sum(s.monthly_cost), sum(s.hourly_cost)
FROM cost_sums s
WHERE s.until_day = 'infinity' AND NOT EXISTS (SELECT FROM cost_wide_tags w WHERE w.tenant_id = s.tenant_id AND w.tag_key = s.tag_key AND s.dimension = 't')
GROUP BY 1, 2, 3, 4, 5;

INSERT INTO cost_tag_changes (tenant_id, tag_key, day, id, currency, name, resource_count, monthly_cost, hourly_cost)
SELECT tenant_id, tag_key, day, id, currency, min(name), sum(n), sum(monthly), sum(hourly)
FROM (
  SELECT tenant_id, tag_key, from_day AS day, id, currency, name, resource_count AS n, monthly_cost AS monthly, hourly_cost AS hourly
  FROM cost_sums WHERE dimension = 't'
  UNION ALL
  SELECT tenant_id, tag_key, until_day, id, currency, name, -resource_count, -monthly_cost, -hourly_cost
  FROM cost_sums WHERE dimension = 't' AND until_day < 'infinity'
) c
WHERE NOT EXISTS (SELECT FROM cost_wide_tags w WHERE w.tenant_id = c.tenant_id AND w.tag_key = c.tag_key)
GROUP BY 1, 2, 3, 4, 5;

-- Locks rows in the order in which a snapshot does: changes by provider and type, their totals, changes by tag, their totals.
CREATE OR REPLACE FUNCTION end_costs_of_state() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  today date := (now() AT TIME ZONE 'UTC')::date;
BEGIN
  DELETE FROM cost_items WHERE state_id = OLD.id;
  DELETE FROM cost_links WHERE state_id = OLD.id;
  -- Not with its tenant: then there is nobody left to have a history.
  IF EXISTS (SELECT FROM tenants WHERE id = OLD.tenant_id) THEN
    INSERT INTO cost_changes AS c (tenant_id, dimension, day, name, currency, resource_count, monthly_cost, hourly_cost)
    SELECT tenant_id, dimension, greatest(from_day, today) AS day, left(name, 400), currency, -sum(resource_count), -sum(monthly_cost), -sum(hourly_cost)
    FROM cost_sums
    WHERE state_id = OLD.id AND until_day = 'infinity' AND dimension IN ('p', 'r')
    GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5
    ON CONFLICT (tenant_id, dimension, day, name, currency) DO UPDATE SET
      resource_count = c.resource_count + excluded.resource_count,
      monthly_cost = c.monthly_cost + excluded.monthly_cost,
      hourly_cost = c.hourly_cost + excluded.hourly_cost;
    INSERT INTO cost_totals AS c (tenant_id, dimension, tag_key, id, currency, name, resource_count, monthly_cost, hourly_cost)
    SELECT tenant_id, dimension, tag_key, id, currency, name, -resource_count, -monthly_cost, -hourly_cost
    FROM cost_sums
    WHERE state_id = OLD.id AND until_day = 'infinity' AND dimension IN ('p', 'r')
    ORDER BY dimension, tag_key, id, currency
    ON CONFLICT (tenant_id, dimension, tag_key, id, currency) DO UPDATE SET
      resource_count = c.resource_count + excluded.resource_count,
      monthly_cost = c.monthly_cost + excluded.monthly_cost,
      hourly_cost = c.hourly_cost + excluded.hourly_cost;
    INSERT INTO cost_tag_changes AS c (tenant_id, tag_key, day, id, currency, name, resource_count, monthly_cost, hourly_cost)
    SELECT tenant_id, tag_key, greatest(from_day, today) AS day, id, currency, name, -resource_count, -monthly_cost, -hourly_cost
    FROM cost_sums s
    WHERE state_id = OLD.id AND until_day = 'infinity' AND dimension = 't'
      AND NOT EXISTS (SELECT FROM cost_wide_tags w WHERE w.tenant_id = s.tenant_id AND w.tag_key = s.tag_key)
    ORDER BY tag_key, day, id, currency
    ON CONFLICT (tenant_id, tag_key, day, id, currency) DO UPDATE SET
      resource_count = c.resource_count + excluded.resource_count,
      monthly_cost = c.monthly_cost + excluded.monthly_cost,
      hourly_cost = c.hourly_cost + excluded.hourly_cost;
    INSERT INTO cost_totals AS c (tenant_id, dimension, tag_key, id, currency, name, resource_count, monthly_cost, hourly_cost)
    SELECT tenant_id, dimension, tag_key, id, currency, name, -resource_count, -monthly_cost, -hourly_cost
    FROM cost_sums s
    WHERE state_id = OLD.id AND until_day = 'infinity' AND dimension = 't'
      AND NOT EXISTS (SELECT FROM cost_wide_tags w WHERE w.tenant_id = s.tenant_id AND w.tag_key = s.tag_key)
    ORDER BY dimension, tag_key, id, currency
    ON CONFLICT (tenant_id, dimension, tag_key, id, currency) DO UPDATE SET
      resource_count = c.resource_count + excluded.resource_count,
      monthly_cost = c.monthly_cost + excluded.monthly_cost,
      hourly_cost = c.hourly_cost + excluded.hourly_cost;
  END IF;
  DELETE FROM cost_sums WHERE state_id = OLD.id AND until_day = 'infinity' AND from_day >= today;
  UPDATE cost_sums SET until_day = today WHERE state_id = OLD.id AND until_day = 'infinity';
  RETURN OLD;
END $$;
