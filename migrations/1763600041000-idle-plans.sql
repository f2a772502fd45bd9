-- Plans that go on, by age: those that nobody has touched for long are aborted.
CREATE INDEX transactions_open_plans ON transactions (created_at) WHERE kind = 'plan' AND state IN ('open', 'previewed');
