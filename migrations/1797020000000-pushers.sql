-- Who pushed the head commit, as the webhook of the push says; it counts while the head is still that commit.
ALTER TABLE pull_requests
  ADD COLUMN pushed_sha text,
  ADD COLUMN pushed_by text;
