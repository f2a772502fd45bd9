-- A release that knows neither column records pull requests too while this one is rolled out: since when the head is known,
-- and when a merge was seen, are completed for it. Both count from now at the latest, which is the safe direction.
UPDATE pull_requests
   SET head_at = coalesce(head_at, now()),
       merge_seen_at = CASE WHEN state = 'merged' THEN coalesce(merge_seen_at, merged_at + interval '5 minutes', now()) END
 WHERE head_at IS NULL OR (state = 'merged' AND merge_seen_at IS NULL);

CREATE FUNCTION complete_pull_request_moments() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.head_at IS NULL OR (TG_OP = 'UPDATE' AND NEW.sha <> OLD.sha AND NEW.head_at = OLD.head_at) THEN
    NEW.head_at := now();
  END IF;
  IF NEW.state = 'merged' AND NEW.merge_seen_at IS NULL THEN
    NEW.merge_seen_at := now();
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER pull_request_moments BEFORE INSERT OR UPDATE ON pull_requests
  FOR EACH ROW EXECUTE FUNCTION complete_pull_request_moments();

CREATE INDEX pull_requests_merges_unseen ON pull_requests (repository_id) WHERE state = 'merged' AND merge_seen_at IS NULL;
