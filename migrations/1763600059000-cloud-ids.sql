-- The ids by which clouds bill and list the managed instances of all states (normalized by the rules of `cloud-ids`).
CREATE TABLE cloud_ids (
  state_id uuid NOT NULL REFERENCES states (id) ON DELETE CASCADE,
  key uuid NOT NULL,                             -- of the instance
  id text COLLATE "C" NOT NULL,
  tenant_id uuid NOT NULL,
  provider text NOT NULL CHECK (provider IN ('aws', 'azure', 'gcp')),
  address text COLLATE "C" NOT NULL,
  PRIMARY KEY (state_id, key, id)
);
CREATE INDEX cloud_ids_by_id ON cloud_ids (tenant_id, provider, id);

-- Up to which version of a state they are current; a state is due while its own version is newer.
CREATE TABLE cloud_id_states (
  state_id uuid PRIMARY KEY REFERENCES states (id) ON DELETE CASCADE,
  done_version integer NOT NULL,
  matcher integer NOT NULL                       -- version of the rules that made them
);
