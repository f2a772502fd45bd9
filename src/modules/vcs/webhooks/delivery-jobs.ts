import { defineJob } from '../../../platform/queue/index.js';

const SWEEP_MS = 5_000;
const UPKEEP_MS = 3_600_000;

/** Works on every lane whose turn has come; also now and then, for deliveries that a crash left. */
export const ProcessDeliveriesJob = defineJob('process-deliveries', {
  attempts: 1,
  concurrency: 4,
  everyMs: SWEEP_MS,
});

/** Hourly: what is kept of old deliveries, and hashes of an older encryption key. */
export const DeliveryUpkeepJob = defineJob('delivery-upkeep', {
  attempts: 1,
  concurrency: 1,
  everyMs: UPKEEP_MS,
});
