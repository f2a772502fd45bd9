-- The comparison reads an inventory and the ids of instances side by side, both in the order of the ids.
ALTER TABLE gap_inventory DROP CONSTRAINT gap_inventory_pkey,
  ADD PRIMARY KEY (tenant_id, inventory_id, lookup_id, service, resource_type, id);

-- An inventory belongs to one tenant; without this the number of its rows is underestimated.
CREATE STATISTICS gap_inventory_owner (dependencies) ON tenant_id, inventory_id FROM gap_inventory;
