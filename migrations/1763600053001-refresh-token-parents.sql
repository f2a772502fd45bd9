-- A refresh token that was made with an access token ends with the refresh token behind that.
ALTER TABLE refresh_tokens ADD COLUMN parent_id uuid REFERENCES refresh_tokens (id) ON DELETE CASCADE;
CREATE INDEX refresh_tokens_by_parent ON refresh_tokens (parent_id) WHERE parent_id IS NOT NULL;
