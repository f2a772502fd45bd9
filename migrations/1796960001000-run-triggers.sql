-- What asked for a run, such as `comment:<id>`: a command that is worked on again finds what it began before.
ALTER TABLE work_manifests ADD COLUMN asked_by text;
