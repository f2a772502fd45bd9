-- The configuration that was last applied to a state: blocks in the JSON syntax, values of root variables, and files that
-- expressions read.
CREATE TABLE state_configuration (
  state_id uuid NOT NULL REFERENCES states (id) ON DELETE CASCADE,
  key uuid NOT NULL,                             -- of the node's id
  node text COLLATE "C" NOT NULL,
  kind text NOT NULL CHECK (kind IN ('hcl', 'tfvar', 'file')),
  address text NOT NULL,                         -- of a block; the variable's name; the file's path
  module text NOT NULL,                          -- call path without keys
  file text NOT NULL,
  data jsonb NOT NULL,
  hash text NOT NULL,                            -- of the canonical data
  start_line integer,
  end_line integer,
  PRIMARY KEY (state_id, key)
);

-- Who needs what, as one node each says it: source and target are keys of nodes or of names that nodes add to.
CREATE TABLE configuration_edges (
  state_id uuid NOT NULL REFERENCES states (id) ON DELETE CASCADE,
  owner uuid NOT NULL,                           -- the node that says so
  source uuid NOT NULL,
  target uuid NOT NULL,
  kind "char" NOT NULL CHECK (kind IN ('a', 'n', 'i'))  -- affects, needs, inherits
);
CREATE INDEX configuration_edges_by_owner ON configuration_edges (state_id, owner);
CREATE INDEX configuration_edges_by_source ON configuration_edges (state_id, source);
CREATE INDEX configuration_edges_by_target ON configuration_edges (state_id, target) WHERE kind <> 'n';
