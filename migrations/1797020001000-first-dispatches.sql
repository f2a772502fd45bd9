-- When the provider was first asked to start a run: for how long it is asked again counts from there.
ALTER TABLE work_manifests ADD COLUMN first_dispatched_at timestamptz;
