-- What a deleted state did to findings of other states, so that only these are evaluated again. Without these columns
-- (a state that went without the deletion's event, or that was never scanned) all states of the tenant are.
ALTER TABLE security_losses
  ADD COLUMN state_id uuid,
  ADD COLUMN named text[],            -- ids that its instances named where checks look others up
  ADD COLUMN upstream uuid[],         -- states that it read: its instances counted in their blast radii
  ADD COLUMN touches_network boolean; -- it had instances that reachability rules look at
CREATE INDEX security_losses_of_state ON security_losses (state_id);

CREATE OR REPLACE FUNCTION note_security_loss() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO security_losses (tenant_id, state_id)
    SELECT OLD.tenant_id, OLD.state_id WHERE NOT EXISTS (SELECT FROM security_losses WHERE state_id = OLD.state_id);
  RETURN NULL;
END $$;
