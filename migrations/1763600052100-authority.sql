-- What was made before an account was linked to a person reaches no other tenant than these; null: no such limit.
ALTER TABLE api_keys ADD COLUMN tenant_ceiling uuid[];
ALTER TABLE refresh_tokens ADD COLUMN tenant_ceiling uuid[];

-- The one tenant of a service account; null for people.
ALTER TABLE users ADD COLUMN home_tenant_id uuid REFERENCES tenants (id) ON DELETE SET NULL;
UPDATE users u SET home_tenant_id =
  (SELECT m.tenant_id FROM tenant_members m WHERE m.user_id = u.id ORDER BY m.joined_at, m.tenant_id LIMIT 1)
 WHERE u.type = 'api';

-- Added by administrators of this tenant alone: the account goes on belonging to the tenants it belonged to before.
ALTER TABLE tenant_members ADD COLUMN guest boolean NOT NULL DEFAULT false;
UPDATE tenant_members m SET guest = true FROM users u
 WHERE u.id = m.user_id AND u.type = 'api' AND m.tenant_id <> u.home_tenant_id;
