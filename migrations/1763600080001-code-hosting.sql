-- Runs of a linked installation act as this user of type `system`: a member of the tenant that nobody can sign in as.
ALTER TABLE installations ADD COLUMN system_user_id uuid REFERENCES users (id) ON DELETE SET NULL;
CREATE INDEX installations_unclaimed ON installations (created_at, id) WHERE tenant_id IS NULL;

-- Secrets of a connected group; the sealed values open in this row only.
CREATE TABLE group_credentials (
  installation_id uuid PRIMARY KEY REFERENCES installations (id) ON DELETE CASCADE,
  access_token bytea,                     -- sealed; null until somebody gives one
  webhook_secret bytea NOT NULL,          -- sealed
  webhook_secret_hash bytea NOT NULL UNIQUE, -- HMAC by which a delivery finds its group
  updated_at timestamptz NOT NULL DEFAULT now()
);

-- Accounts at a code host that people of this service have linked.
CREATE TABLE linked_accounts (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  provider text NOT NULL CHECK (provider IN ('github', 'gitlab')),
  account_id text NOT NULL,               -- the provider's own id of the person
  username text NOT NULL,
  avatar_url text,
  access_token bytea NOT NULL,            -- sealed
  refresh_token bytea,                    -- sealed; good once
  expires_at timestamptz,                 -- null: the token does not expire
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (user_id, provider)
);

-- Authorizations at a provider that were answered already: each is good once, on whichever replica.
CREATE TABLE used_authorizations (
  id uuid PRIMARY KEY,
  expires_at timestamptz NOT NULL
);
CREATE INDEX used_authorizations_expiry ON used_authorizations (expires_at);

CREATE TABLE repositories (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  installation_id uuid NOT NULL REFERENCES installations (id) ON DELETE CASCADE,
  provider_id text NOT NULL,              -- the provider's own id, `repo_id` of the API
  owner text NOT NULL,                    -- account, or path of the namespace
  name text NOT NULL,                     -- without the owner
  default_branch text,                    -- null: the repository is empty
  clone_url text NOT NULL,
  web_url text NOT NULL,
  is_archived boolean NOT NULL DEFAULT false,
  has_workflow boolean NOT NULL DEFAULT false,      -- the workflow or pipeline file was seen on the default branch
  has_configuration boolean NOT NULL DEFAULT false, -- so was the configuration of this service
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (installation_id, provider_id),
  UNIQUE (id, installation_id)
);
CREATE INDEX repositories_by_name ON repositories (installation_id, name, id);

CREATE TABLE pull_requests (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  repository_id uuid NOT NULL,
  installation_id uuid NOT NULL,          -- of the repository, so that a page of an installation is one index range
  number integer NOT NULL,
  title text,
  username text,                          -- who opened it
  branch text NOT NULL,
  sha text NOT NULL,
  base_branch text NOT NULL,
  base_sha text NOT NULL,
  state text NOT NULL CHECK (state IN ('open', 'closed', 'merged')),
  is_draft boolean NOT NULL DEFAULT false,
  is_fork boolean NOT NULL DEFAULT false, -- the head lies in another repository
  merged_at timestamptz,
  merged_sha text,
  closed_at timestamptz,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,        -- as the provider says
  latest_work_manifest_run_at timestamptz,
  UNIQUE (repository_id, number),
  FOREIGN KEY (repository_id, installation_id) REFERENCES repositories (id, installation_id)
    ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX pull_requests_of_installation ON pull_requests (installation_id, number DESC, id);

-- What a provider sent. The row is the record of a delivery; a job works on the rows of a lane in order of `seq`.
CREATE TABLE webhook_deliveries (
  id uuid PRIMARY KEY,
  seq bigint GENERATED ALWAYS AS IDENTITY,
  provider text NOT NULL CHECK (provider IN ('github', 'gitlab')),
  source text NOT NULL,                   -- who signed it: `app`, or the id of the group's installation
  delivery_id text NOT NULL,              -- the provider's own id
  installation_id uuid REFERENCES installations (id) ON DELETE CASCADE, -- null: nobody knows the installation
  provider_installation_id text,
  event text NOT NULL,
  action text,
  lane text NOT NULL,                     -- repository, or installation: deliveries of one lane are worked on in order
  body bytea,                             -- sealed; null after a day
  was_pending boolean NOT NULL DEFAULT false, -- the first delivery of a group: it starts nothing
  state text NOT NULL DEFAULT 'received' CHECK (state IN ('received', 'processed', 'ignored', 'failed')),
  attempts integer NOT NULL DEFAULT 0,
  error text,                             -- id of the failure, never its text
  received_at timestamptz NOT NULL DEFAULT now(),
  retry_at timestamptz,
  processed_at timestamptz,
  UNIQUE (provider, source, delivery_id)
);
CREATE INDEX webhook_deliveries_waiting ON webhook_deliveries (lane, seq) WHERE state = 'received';
CREATE INDEX webhook_deliveries_of_installation ON webhook_deliveries (installation_id, seq DESC);
CREATE INDEX webhook_deliveries_by_age ON webhook_deliveries (received_at);

-- One worker at a time works on a lane; the lease ends by itself when the worker dies.
CREATE TABLE webhook_lanes (
  lane text PRIMARY KEY,
  holder uuid,
  leased_until timestamptz
);
