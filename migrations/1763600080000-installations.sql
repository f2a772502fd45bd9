-- What a code host calls an installation (GitHub) or a group that is connected (GitLab), and the tenant it is linked to.
CREATE TABLE installations (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),  -- ours; stays when it is uninstalled and installed again
  provider text NOT NULL CHECK (provider IN ('github', 'gitlab')),
  installation_id text NOT NULL,                  -- the provider's own id
  tenant_id uuid REFERENCES tenants (id) ON DELETE SET NULL, -- null: linked to no tenant
  name text NOT NULL,                             -- login of the account, path of the group
  target_type text NOT NULL CHECK (target_type IN ('organization', 'user', 'group')),
  state text NOT NULL CHECK (state IN ('active', 'suspended', 'uninstalled', 'pending', 'installed')),
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  linked_at timestamptz,
  UNIQUE (provider, installation_id)
);
CREATE INDEX installations_of_tenant ON installations (tenant_id, provider, name);
