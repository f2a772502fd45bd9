-- Graphs as packed columns (docs/adr/0002). A state whose rows were made by an older form is decomposed again from its
-- stored document: its next write does it, or the job `replay-decompositions`.
ALTER TABLE states ADD COLUMN graph_format smallint NOT NULL DEFAULT 0;

-- Rows up to 8 kB stay in line and as they are: compressing attributes costs more than writing them (docs/adr/0002).
ALTER TABLE instances SET (toast_tuple_target = 8160);

-- Which instances the outputs of a state come from: those that carry an output's distinctive value. Readers of the
-- outputs find their producers here; an empty list was looked for and not found.
CREATE TABLE output_sources (
  state_id uuid NOT NULL REFERENCES states (id) ON DELETE CASCADE,
  value text COLLATE "C" NOT NULL,
  keys uuid[] NOT NULL,
  PRIMARY KEY (state_id, value)
);

TRUNCATE state_graphs;
ALTER TABLE state_graphs
  DROP COLUMN pairs,
  DROP COLUMN keys,
  DROP COLUMN nodes,
  ADD COLUMN topology bytea NOT NULL,            -- range pairs of node ordinals
  ADD COLUMN nodes bytea NOT NULL,               -- what is needed to name and rebuild the nodes
  ADD COLUMN landmarks bytea NOT NULL;           -- ordinals of the instances that links name
ALTER TABLE state_graphs ALTER topology SET STORAGE EXTERNAL, ALTER nodes SET STORAGE EXTERNAL;

ALTER TABLE state_links DROP COLUMN producer_keys, ALTER COLUMN values DROP DEFAULT;
