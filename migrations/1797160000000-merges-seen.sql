-- When this service first saw that a pull request was merged, by its own clock: plans of others that are older lack it.
ALTER TABLE pull_requests ADD COLUMN merge_seen_at timestamptz;
CREATE INDEX pull_requests_merges_seen ON pull_requests (repository_id, merge_seen_at) WHERE merge_seen_at IS NOT NULL;
