-- Ids of disks that a machine carries in its own attributes: a disk that is a resource of its own comes before them.
ALTER TABLE cloud_ids ADD COLUMN is_part boolean NOT NULL DEFAULT false;
