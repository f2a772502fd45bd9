-- States, their documents as content-addressed chunks, the history, and what is needed to merge by instance.
CREATE TABLE states (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  tenant_id uuid NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
  name text NOT NULL,
  group_id uuid NOT NULL,
  workspace text NOT NULL DEFAULT 'default',
  lineage text NOT NULL,
  serial bigint NOT NULL DEFAULT 0,
  version integer NOT NULL DEFAULT 0,            -- 0: created, never written; +1 with every accepted write
  format text NOT NULL DEFAULT 'empty' CHECK (format IN ('empty', 'terraform', 'legacy', 'encrypted')),
  terraform_version text,
  graph_error text,                              -- why the current document has no graph; null when it has one
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (group_id, workspace)
);
CREATE INDEX states_of_tenant ON states (tenant_id, created_at, id);

CREATE TABLE state_chunks (
  state_id uuid NOT NULL,
  hash bytea NOT NULL,                           -- SHA-256 of kind, context and bytes
  kind smallint NOT NULL,                        -- 0 frame, 1 resources, 2 resources that end inside of a resource
  size integer NOT NULL,                         -- bytes of the document it stands for
  crc32 bigint NOT NULL,
  context bytea,                                 -- header of the resource the chunk begins inside of, if any
  data bytea NOT NULL,                           -- raw deflate, ends on a byte boundary, so that chunks concatenate
  node_index bytea,                              -- deflated list of the instances in it; null: not decomposed
  PRIMARY KEY (state_id, hash)
);
ALTER TABLE state_chunks ALTER data SET STORAGE EXTERNAL, ALTER node_index SET STORAGE EXTERNAL;

CREATE TABLE state_versions (
  state_id uuid NOT NULL REFERENCES states (id) ON DELETE CASCADE,
  version integer NOT NULL,
  serial bigint NOT NULL,
  lineage text NOT NULL,
  format text NOT NULL,
  md5 bytea,                                     -- of the document; null until a merged document is first read
  crc32 bigint NOT NULL,
  size bigint NOT NULL,
  chunks bytea NOT NULL,                         -- 32 byte hashes in document order
  frame jsonb NOT NULL,                          -- outputs and check results: name to hash
  graph_error text,
  origin text NOT NULL CHECK (origin IN ('backend', 'import', 'restore', 'merge', 'force', 'transaction')),
  tx_id uuid NOT NULL,
  run_id uuid NOT NULL,
  created_by uuid,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (state_id, version)
);
ALTER TABLE state_versions ALTER chunks SET STORAGE EXTERNAL;
CREATE INDEX state_versions_by_serial ON state_versions (state_id, serial);

CREATE TABLE state_submissions (
  id uuid PRIMARY KEY,
  state_id uuid NOT NULL REFERENCES states (id) ON DELETE CASCADE,
  status text NOT NULL CHECK (status IN ('refused', 'merged')),
  serial bigint NOT NULL,
  lineage text NOT NULL,
  format text NOT NULL,
  md5 bytea NOT NULL,
  crc32 bigint NOT NULL,
  size bigint NOT NULL,
  chunks bytea NOT NULL,
  frame jsonb NOT NULL,
  resulting_version integer,
  conflicts_with uuid[] NOT NULL DEFAULT '{}',
  tx_id uuid NOT NULL,
  run_id uuid NOT NULL,
  created_by uuid,
  created_at timestamptz NOT NULL DEFAULT now()
);
ALTER TABLE state_submissions ALTER chunks SET STORAGE EXTERNAL;
CREATE INDEX state_submissions_of_state ON state_submissions (state_id, created_at DESC, id);

-- One row for each instance, output or check result a version added, changed or removed.
CREATE TABLE state_changes (
  state_id uuid NOT NULL,
  version integer NOT NULL,
  key uuid NOT NULL,
  op "char" NOT NULL CHECK (op IN ('a', 'c', 'r')),
  address text NOT NULL,
  tx_id uuid NOT NULL,
  run_id uuid NOT NULL,
  PRIMARY KEY (state_id, version, key)
);

-- What a client of the backend has read or sent: the possible bases of its next write.
CREATE TABLE state_bases (
  id uuid PRIMARY KEY,
  state_id uuid NOT NULL REFERENCES states (id) ON DELETE CASCADE,
  run_id uuid NOT NULL,
  kind text NOT NULL CHECK (kind IN ('read', 'sent', 'refused')),
  run_name text,                                 -- lock:<id> or tx:<id> when the run is known exactly
  credential text NOT NULL,
  address text NOT NULL,
  connection text NOT NULL,
  serial bigint NOT NULL,
  document_version integer,                      -- the document read or sent: a version,
  document_submission uuid,                      -- or a submission
  base_version integer,                          -- what the next write is compared with: the same document, but for
  base_submission uuid,                          -- a refused one the base it was refused against
  seen_version integer NOT NULL,                 -- the newest version whose changes the run has seen
  at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX state_bases_of_credential ON state_bases (state_id, credential, at DESC);

CREATE TABLE state_locks (
  state_id uuid PRIMARY KEY REFERENCES states (id) ON DELETE CASCADE,
  lock_id text NOT NULL,
  info text NOT NULL,
  held_by text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
