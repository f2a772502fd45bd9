-- What the costs of a tenant changed by on a day (UTC), over all of its states: the history reads as many rows as there were
-- changes, however many states there are. Kept with cost_sums, by provider and by resource type.
CREATE TABLE cost_changes (
  tenant_id uuid NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
  dimension "char" NOT NULL CHECK (dimension IN ('p', 'r')), -- provider, resource type
  day date NOT NULL,
  name text COLLATE "C" NOT NULL,
  currency text COLLATE "C" NOT NULL,            -- empty: instances without a cost
  resource_count integer NOT NULL,
  monthly_cost numeric NOT NULL,
  hourly_cost numeric NOT NULL,
  PRIMARY KEY (tenant_id, dimension, day, name, currency)
);

INSERT INTO cost_changes (tenant_id, dimension, day, name, currency, resource_count, monthly_cost, hourly_cost)
SELECT tenant_id, dimension, day, left(name, 400), currency, sum(n), sum(monthly), sum(hourly)
FROM (
  SELECT tenant_id, dimension, from_day AS day, name, currency, resource_count AS n, monthly_cost AS monthly, hourly_cost AS hourly
  FROM cost_sums WHERE dimension IN ('p', 'r')
  UNION ALL
  SELECT tenant_id, dimension, until_day, name, currency, -resource_count, -monthly_cost, -hourly_cost
  FROM cost_sums WHERE dimension IN ('p', 'r') AND until_day < 'infinity'
) changes
GROUP BY 1, 2, 3, 4, 5;

-- The costs of a deleted state end today. Not with its tenant: then there is nobody left to have a history.
CREATE OR REPLACE FUNCTION end_costs_of_state() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  today date := (now() AT TIME ZONE 'UTC')::date;
BEGIN
  DELETE FROM cost_items WHERE state_id = OLD.id;
  DELETE FROM cost_links WHERE state_id = OLD.id;
  INSERT INTO cost_changes AS c (tenant_id, dimension, day, name, currency, resource_count, monthly_cost, hourly_cost)
  SELECT tenant_id, dimension, greatest(from_day, today) AS day, left(name, 400), currency, -sum(resource_count), -sum(monthly_cost), -sum(hourly_cost)
  FROM cost_sums
  WHERE state_id = OLD.id AND until_day = 'infinity' AND dimension IN ('p', 'r') AND EXISTS (SELECT FROM tenants WHERE id = OLD.tenant_id)
  GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5
  ON CONFLICT (tenant_id, dimension, day, name, currency) DO UPDATE SET
    resource_count = c.resource_count + excluded.resource_count,
    monthly_cost = c.monthly_cost + excluded.monthly_cost,
    hourly_cost = c.hourly_cost + excluded.hourly_cost;
  DELETE FROM cost_sums WHERE state_id = OLD.id AND until_day = 'infinity' AND from_day >= today;
  UPDATE cost_sums SET until_day = today WHERE state_id = OLD.id AND until_day = 'infinity';
  RETURN OLD;
END $$;
