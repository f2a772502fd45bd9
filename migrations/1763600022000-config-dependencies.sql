-- What depends on what, for SQL (docs/adr/0005-sql-queries.md): between configuration addresses, transitively reduced,
-- one row for each address that depends on something. Instances are joined when a query asks.
CREATE FUNCTION config_key(address text) RETURNS uuid LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$ SELECT md5(regexp_replace(address, '\[("([^"\\]|\\.)*"|[^]"]*)\]', '', 'g'))::uuid $$;

-- The first `steps` steps of a module's full address; empty for none.
CREATE FUNCTION module_prefix(module text, steps integer) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$
    SELECT CASE WHEN steps = 0 THEN '' ELSE substring(module FROM
      '^module\.[^.[]+(?:\[(?:"(?:[^"\\]|\\.)*"|[^]"]*)\])?(?:\.module\.[^.[]+(?:\[(?:"(?:[^"\\]|\\.)*"|[^]"]*)\])?){' || (steps - 1) || '}') || '.' END
  $$;

CREATE TABLE config_dependencies (
  state_id uuid NOT NULL REFERENCES states (id) ON DELETE CASCADE,
  dependent uuid NOT NULL,                       -- config_key of an address, or key of a deposed instance
  dependencies uuid[] NOT NULL,                  -- config_keys of what it depends on
  shared smallint[] NOT NULL,                    -- leading steps of the module paths that both have
  PRIMARY KEY (state_id, dependent)
);
ALTER TABLE resources ADD COLUMN config uuid GENERATED ALWAYS AS
  (md5(regexp_replace(address, '\[("([^"\\]|\\.)*"|[^]"]*)\]', '', 'g'))::uuid) STORED;
CREATE INDEX resources_by_config ON resources (state_id, config, left(address, 512) COLLATE "C");
