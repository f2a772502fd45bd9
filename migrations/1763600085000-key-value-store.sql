-- Records of the key-value store. A namespace is (provider, installation id); there is no foreign key, because an
-- installation administrator may use a namespace that no installation stands behind.
CREATE TABLE kv_records (
  provider text NOT NULL CHECK (provider IN ('github', 'gitlab')),
  installation_id text NOT NULL,
  key text COLLATE "C" NOT NULL CHECK (octet_length(key) BETWEEN 1 AND 512),
  idx smallint NOT NULL CHECK (idx >= 0),
  data text NOT NULL,
  version bigint NOT NULL,                        -- 0 for a new record, one more with each write
  committed boolean NOT NULL,
  size integer NOT NULL GENERATED ALWAYS AS (octet_length(data)) STORED,
  created_at timestamptz NOT NULL DEFAULT now(),  -- of this version
  read_caps jsonb,                                -- null: no capability is needed besides the store's own
  write_caps jsonb,
  PRIMARY KEY (provider, installation_id, key, idx)
);
-- Faster than the default method where the server has it; the embedded server has not.
DO $$ BEGIN
  ALTER TABLE kv_records ALTER data SET COMPRESSION lz4;
EXCEPTION WHEN feature_not_supported THEN NULL;
END $$;
