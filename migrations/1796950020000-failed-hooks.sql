-- A hook failed although every directory succeeded: the run is no success, and its plan is not applied.
ALTER TABLE work_manifests ADD COLUMN hooks_failed boolean NOT NULL DEFAULT false;
