-- One hash over all of a state's revisions, until they change: clients ask for it before every plan.
CREATE TABLE state_revision_hashes (
  state_id uuid PRIMARY KEY REFERENCES states (id) ON DELETE CASCADE,
  hash text NOT NULL
);
