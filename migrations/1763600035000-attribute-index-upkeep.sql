-- Whoever filled the waiting list of the index sorted all of it in: 5 of 18 s of importing 100,000 instances.
-- A job does that now, every minute and in larger portions (src/modules/graph/attribute-index-upkeep.job.ts). The limit of
-- 128 MB, twice what those fill, is for what comes in between and for an installation whose workers stand still.
ALTER INDEX instances_by_attributes SET (gin_pending_list_limit = 131072);
