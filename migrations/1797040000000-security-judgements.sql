-- Which judgement of a tenant's network `security_reach` holds. A worker that remembers the network of the same judgement
-- does not judge it again when a write changes nothing that the rules read.
CREATE TABLE security_judgements (
  tenant_id uuid PRIMARY KEY REFERENCES tenants (id) ON DELETE CASCADE,
  judgement uuid NOT NULL
);
