-- One row: since when an API process has been running without a gap, and when one last said so; by the database's clock.
CREATE TABLE api_presence (
  id smallint PRIMARY KEY CHECK (id = 1),
  since timestamptz NOT NULL,
  seen_at timestamptz NOT NULL
);
