-- What is wrong with the configuration of a pull request, for the page that shows it. The newest commit counts.
CREATE TABLE configuration_mistakes (
  repository_id uuid NOT NULL REFERENCES repositories (id) ON DELETE CASCADE,
  pull_number integer NOT NULL,
  sha text NOT NULL,
  mistakes jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (repository_id, pull_number)
);
