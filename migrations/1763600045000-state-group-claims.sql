-- LOCK of an unknown pair made a state without claiming its group: each group with states has a row, of its first one's tenant.
INSERT INTO state_groups (group_id, tenant_id)
  SELECT DISTINCT ON (group_id) group_id, tenant_id FROM states ORDER BY group_id, created_at, id
ON CONFLICT (group_id) DO UPDATE SET tenant_id = EXCLUDED.tenant_id WHERE state_groups.tenant_id <> EXCLUDED.tenant_id;
