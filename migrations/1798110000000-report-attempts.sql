-- The end of a run is reported again later each time it could not be, so that one that cannot be keeps nobody else's waiting.
ALTER TABLE work_manifests ADD COLUMN report_retry_at timestamptz;
ALTER TABLE work_manifests ADD COLUMN report_attempts integer NOT NULL DEFAULT 0;
