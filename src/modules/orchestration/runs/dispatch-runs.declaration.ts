import { defineJob } from '../../../platform/queue/index.js';

const SWEEP_INTERVAL_MS = 5_000;

/** Sends whatever may start; any number of workers. */
export const DispatchRunsJob = defineJob('dispatch-runs', { queue: 'runs', concurrency: 4 });
/** The same for what a lost job left, and once the provider's patience is over. */
export const SweepRunsJob = defineJob('sweep-runs', {
  queue: 'runs',
  everyMs: SWEEP_INTERVAL_MS,
  attempts: 1,
});
export interface ReportRun {
  workManifestId: string;
  /** how often it was put off because its cost or findings were not known yet */
  waits?: number;
}

/** Comments, statuses and what follows from a run that ended. */
export const ReportRunJob = defineJob<ReportRun>('report-run', {
  queue: 'run-reports',
  concurrency: 4,
  attempts: 5,
});
