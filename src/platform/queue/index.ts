export { HandlesJob, type JobHandler, type JobRun } from './handles-job.js';
export { defineJob, definedJobs, Job, type JobOptions } from './job.js';
export { JobConsumers } from './job-consumers.js';
export { type EnqueueOptions, Jobs } from './jobs.js';
export { migrateQueues } from './queue-migrations.js';
export { QueueModule } from './queue.module.js';
