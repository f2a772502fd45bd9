-- People and service accounts, what they may do, their credentials, the tenants they belong to, and the audit trail.
CREATE TABLE tenants (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  name text NOT NULL UNIQUE,
  is_default boolean NOT NULL DEFAULT false,      -- the shared tenant of people who first sign in through OAuth
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX tenants_one_default ON tenants (is_default) WHERE is_default;
INSERT INTO tenants (name, is_default) VALUES ('Default', true);

CREATE TABLE users (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  type text NOT NULL DEFAULT 'user' CHECK (type IN ('user', 'api', 'system')),
  name text NOT NULL,
  email text,
  password_hash text,                             -- bcrypt of a digest of the password; null: cannot sign in with one
  auth_origin text,                               -- local, google, oidc; null for service accounts
  auth_subject text,                              -- issuer and subject at the OAuth provider
  avatar_url text,
  session_epoch integer NOT NULL DEFAULT 0,       -- sessions of an older epoch have ended
  created_at timestamptz NOT NULL DEFAULT now(),
  deleted_at timestamptz
);
CREATE UNIQUE INDEX users_email ON users (lower(email)) WHERE deleted_at IS NULL;
CREATE UNIQUE INDEX users_auth_subject ON users (auth_origin, auth_subject) WHERE deleted_at IS NULL;
CREATE INDEX users_in_order ON users (created_at, id) WHERE deleted_at IS NULL;

CREATE TABLE tenant_members (
  tenant_id uuid NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  joined_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (user_id, tenant_id)
);
CREATE INDEX tenant_members_in_order ON tenant_members (tenant_id, joined_at, user_id);

-- At most one grant for each capability of a user, unscoped or with an allow-list.
CREATE TABLE user_grants (
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  capability text NOT NULL,
  tenants uuid[] CHECK (cardinality(tenants) > 0), -- null: unscoped
  PRIMARY KEY (user_id, capability)
);
CREATE INDEX user_grants_unscoped ON user_grants (capability, user_id) WHERE tenants IS NULL;
CREATE INDEX user_grants_by_tenant ON user_grants USING gin (tenants);

-- What every person's session holds besides their own grants; exactly one row.
CREATE TABLE capability_defaults (
  id boolean PRIMARY KEY DEFAULT true CHECK (id),
  capabilities jsonb NOT NULL
);
INSERT INTO capability_defaults (capabilities)
VALUES ('{"preview": {}, "commit": {}, "access-token-create": {}, "access-token-refresh": {}}');

CREATE TABLE capability_group_rules (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  tenant_id uuid NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
  condition jsonb NOT NULL,
  "grant" jsonb NOT NULL,
  description text NOT NULL DEFAULT '',
  created_at timestamptz NOT NULL DEFAULT now(),
  created_by uuid NOT NULL REFERENCES users (id),
  deleted_at timestamptz                          -- the row stays for the audit trail
);
CREATE INDEX capability_group_rules_of_tenant ON capability_group_rules (tenant_id, created_at, id) WHERE deleted_at IS NULL;

CREATE TABLE api_keys (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  owner_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  name text NOT NULL,
  token_hash bytea NOT NULL UNIQUE,               -- SHA-256; the key itself is shown once and never stored
  capabilities jsonb NOT NULL,                    -- cut down again on every request to what the owner then holds
  state_tenants jsonb NOT NULL DEFAULT '{}',      -- tenant of each state the capabilities name, for that cut
  rule_ids uuid[] NOT NULL DEFAULT '{}',          -- group rules of the session that made the key
  created_at timestamptz NOT NULL DEFAULT now(),
  revoked_at timestamptz
);
CREATE INDEX api_keys_of_owner ON api_keys (owner_id, created_at) WHERE revoked_at IS NULL;

CREATE TABLE refresh_tokens (
  id uuid PRIMARY KEY,                            -- the jti of the token
  owner_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  vcs text NOT NULL CHECK (vcs IN ('github', 'gitlab')),
  name text NOT NULL,
  capabilities jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  revoked_at timestamptz
);
CREATE INDEX refresh_tokens_in_order ON refresh_tokens (vcs, created_at, id) WHERE revoked_at IS NULL;

CREATE TABLE invitations (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  tenant_id uuid NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
  email text NOT NULL,
  role text NOT NULL CHECK (role IN ('member', 'admin')),
  status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'accepted', 'revoked')), -- expired: from the time
  token_hash bytea NOT NULL UNIQUE,
  invited_by uuid NOT NULL REFERENCES users (id),
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  sent_at timestamptz NOT NULL,                   -- start of the cooldown, whether or not the mail was delivered
  send_count integer NOT NULL DEFAULT 1,
  delivered boolean,                              -- null: delivery was never tried
  accepted_by uuid REFERENCES users (id)
);
CREATE INDEX invitations_in_order ON invitations (tenant_id, created_at DESC, id DESC);
CREATE INDEX invitations_pending ON invitations (tenant_id, lower(email)) WHERE status = 'pending';
-- Every sending, for the hourly and daily budgets.
CREATE TABLE invitation_sendings (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant_id uuid NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
  inviter_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  sent_at timestamptz NOT NULL
);
CREATE INDEX invitation_sendings_of_inviter ON invitation_sendings (inviter_id, sent_at);
CREATE INDEX invitation_sendings_of_tenant ON invitation_sendings (tenant_id, sent_at);

CREATE TABLE signing_keys (
  id text PRIMARY KEY,                            -- the kid of a token
  secret bytea NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  retired_at timestamptz
);

CREATE TABLE ended_sessions (
  id text PRIMARY KEY,                            -- the jti of a session that signed out
  expires_at timestamptz NOT NULL
);
CREATE INDEX ended_sessions_expired ON ended_sessions (expires_at);

-- OAuth sign-ins that were completed, so that a sealed cookie cannot be used twice.
CREATE TABLE used_login_attempts (
  id text PRIMARY KEY,
  expires_at timestamptz NOT NULL
);
CREATE INDEX used_login_attempts_expired ON used_login_attempts (expires_at);

CREATE TABLE setup_completion (
  id boolean PRIMARY KEY DEFAULT true CHECK (id),
  completed_at timestamptz NOT NULL
);

-- Shared by all replicas: hits of the running window for each key.
CREATE TABLE rate_limits (
  key text PRIMARY KEY,
  hits integer NOT NULL,
  window_ends_at timestamptz NOT NULL
);
CREATE INDEX rate_limits_expired ON rate_limits (window_ends_at);

CREATE TABLE audit_entries (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  created_at timestamptz NOT NULL DEFAULT now(),
  actor_id uuid,                                  -- null: nobody was signed in, or the service itself
  actor_name text,
  credential text,                                -- session:<id> or key:<id>
  action text NOT NULL,                           -- user.create, key.revoke, ...
  object_type text NOT NULL,
  object_id text,
  tenant_id uuid,
  request_id text,
  data jsonb NOT NULL DEFAULT '{}'                -- never a secret
);
CREATE INDEX audit_entries_of_tenant ON audit_entries (tenant_id, id DESC);
CREATE INDEX audit_entries_of_actor ON audit_entries (actor_id, id DESC);
