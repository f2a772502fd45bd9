-- Transactions know the credential that began them: a run reaches its own.
ALTER TABLE transactions ADD COLUMN made_with text;
CREATE INDEX transactions_made_with ON transactions (made_with) WHERE made_with IS NOT NULL AND state IN ('open', 'previewing', 'previewed');

-- States that a run reaches, by the dirspace that uses them.
CREATE TABLE work_manifest_states (
  work_manifest_id uuid NOT NULL REFERENCES work_manifests (id) ON DELETE CASCADE,
  position integer NOT NULL,
  state_id uuid NOT NULL REFERENCES states (id) ON DELETE CASCADE,
  PRIMARY KEY (work_manifest_id, position)
);
CREATE INDEX work_manifest_states_of_state ON work_manifest_states (state_id);

-- Groups of states that runs of a repository created: its later runs reach them without the base branch naming them.
CREATE TABLE repository_state_groups (
  group_id uuid PRIMARY KEY,
  repository_id uuid NOT NULL REFERENCES repositories (id) ON DELETE CASCADE,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX repository_state_groups_of_repository ON repository_state_groups (repository_id);

ALTER TABLE work_manifest_dirspaces
  ADD COLUMN transaction_id uuid,         -- of its plan, or of the session that its apply wrote into
  ADD COLUMN conflicts_with uuid[];       -- of an apply that was refused: the transactions that were first
CREATE INDEX dirspaces_of_transaction ON work_manifest_dirspaces (transaction_id) WHERE transaction_id IS NOT NULL;

ALTER TABLE gates ADD COLUMN add_reviewers text[] NOT NULL DEFAULT '{}'; -- people who are asked for a review
