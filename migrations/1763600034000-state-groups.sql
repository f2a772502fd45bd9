-- A group of states belongs to the tenant of its first one: nobody else can take a workspace of it.
CREATE TABLE state_groups (
  group_id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL REFERENCES tenants (id) ON DELETE CASCADE
);
INSERT INTO state_groups (group_id, tenant_id)
  SELECT DISTINCT ON (group_id) group_id, tenant_id FROM states ORDER BY group_id, created_at, id;
