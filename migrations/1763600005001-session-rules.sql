-- Group rules that matched when a session began. They are kept here and not in the session's token: a cookie has room for
-- a few dozen only, and who compares ranks has to know what somebody's sessions hold.
CREATE TABLE session_rules (
  session_id text PRIMARY KEY,                    -- the jti of the session
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  session_epoch integer NOT NULL,
  rule_ids uuid[] NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX session_rules_of_user ON session_rules (user_id);
CREATE INDEX session_rules_expired ON session_rules (expires_at);

-- Whether a key was asked for to read single states only. What is left of its grants does not tell: a key that lost all
-- of them would look like one that was never limited.
ALTER TABLE api_keys ADD COLUMN state_bound boolean NOT NULL DEFAULT false;
UPDATE api_keys k SET state_bound = true
 WHERE k.capabilities <> '{}'
   AND NOT EXISTS (SELECT FROM jsonb_each(k.capabilities) c
                    WHERE NOT c.value ? 'states' OR jsonb_array_length(coalesce(c.value -> 'tenants', '[]')) > 0)
   AND EXISTS (SELECT FROM jsonb_each(k.capabilities) c, jsonb_each(c.value -> 'states') s WHERE NOT s.value ? '*');
