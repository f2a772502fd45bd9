-- SQL queries (docs/adr/0005-sql-queries.md). The views of schema `mql`, the role that reads them and the function that
-- runs a query are made by the service when it starts, from the same definitions as /mql/schema; here is what they
-- stand on: the signed scope.
CREATE SCHEMA mql;

-- The keyed pads of HMAC-SHA-256; exactly one row, read by the two functions below only.
CREATE TABLE query_scope_keys (
  id boolean PRIMARY KEY DEFAULT true CHECK (id),
  inner_pad bytea NOT NULL,
  outer_pad bytea NOT NULL
);
DO $$
DECLARE
  secret bytea := sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()));
  inner_pad bytea := decode(repeat('36', 64), 'hex');
  outer_pad bytea := decode(repeat('5c', 64), 'hex');
BEGIN
  FOR i IN 0 .. 31 LOOP
    inner_pad := set_byte(inner_pad, i, get_byte(inner_pad, i) # get_byte(secret, i));
    outer_pad := set_byte(outer_pad, i, get_byte(outer_pad, i) # get_byte(secret, i));
  END LOOP;
  INSERT INTO query_scope_keys (inner_pad, outer_pad) VALUES (inner_pad, outer_pad);
END $$;

-- A scope holds in the transaction it was signed in and nowhere else. Parallel workers have that transaction's time.
CREATE FUNCTION query_scope_mac(tenants text) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE
  SET search_path = pg_catalog, public, pg_temp
  AS $$
    SELECT encode(sha256(k.outer_pad || sha256(k.inner_pad || m.message)), 'hex')
    FROM query_scope_keys k,
         (SELECT convert_to(extract(epoch FROM transaction_timestamp())::text || ' ' || tenants, 'UTF8') AS message) m
  $$;
REVOKE ALL ON FUNCTION query_scope_mac(text) FROM PUBLIC;

-- What the service sets as `mql.scope`: ids joined by commas, or `*` for all of them.
CREATE FUNCTION query_scope(tenants text) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE
  SET search_path = pg_catalog, public, pg_temp
  AS $$ SELECT query_scope_mac(tenants) || ' ' || tenants $$;
REVOKE ALL ON FUNCTION query_scope(text) FROM PUBLIC;

CREATE FUNCTION mql.scope_text() RETURNS text LANGUAGE plpgsql STABLE PARALLEL SAFE SECURITY DEFINER
  SET search_path = pg_catalog, public, pg_temp
  AS $$
  DECLARE
    scope text := current_setting('mql.scope', true);
    tenants text := substr(scope, 66);
  BEGIN
    IF scope IS NULL OR left(scope, 65) IS DISTINCT FROM query_scope_mac(tenants) || ' ' THEN
      RAISE EXCEPTION 'this transaction has no valid scope' USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN tenants;
  END $$;

-- The tenants whose rows the views show.
CREATE FUNCTION mql.tenant_ids() RETURNS uuid[] LANGUAGE plpgsql STABLE PARALLEL SAFE SECURITY DEFINER
  SET search_path = pg_catalog, public, pg_temp
  AS $$
  DECLARE
    tenants text := mql.scope_text();
  BEGIN
    IF tenants = '*' THEN RETURN ARRAY(SELECT t.id FROM tenants t); END IF;
    RETURN string_to_array(tenants, ',')::uuid[];
  END $$;

-- Whether the scope is the whole installation.
CREATE FUNCTION mql.everything() RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE
  AS $$ SELECT mql.scope_text() = '*' $$;

-- A condition on a jsonb column that the query has as well, so that its index is used (see the views `…_indexed`).
CREATE FUNCTION mql.contained(number integer) RETURNS jsonb LANGUAGE sql STABLE PARALLEL SAFE
  AS $$ SELECT nullif(current_setting('mql.contained_' || number, true), '')::jsonb $$;

CREATE FUNCTION mql.within_bytes(total bigint, most bigint) RETURNS boolean LANGUAGE plpgsql STABLE PARALLEL SAFE
  AS $$ BEGIN
    IF total > most THEN
      RAISE EXCEPTION 'the result is larger than % bytes', most USING ERRCODE = 'MQ002';
    END IF;
    RETURN true;
  END $$;

REVOKE ALL ON ALL FUNCTIONS IN SCHEMA mql FROM PUBLIC;

-- Which definitions the views were made of.
CREATE TABLE query_catalog (
  id boolean PRIMARY KEY DEFAULT true CHECK (id),
  definitions text NOT NULL
);
