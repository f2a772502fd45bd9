import { defineErrors } from '../../platform/errors/index.js';

export const orchestrationErrors = defineErrors({
  WORK_MANIFEST_NOT_FOUND: [404, 'work manifest not found'],
  RUN_ALREADY_STARTED: [409, 'another runner has started this run'],
  RUN_UNDER_WAY: [409, 'the run has not ended; cancel it first'],
  RUN_ENDED: [409, 'the run has ended'],
  RUNNER_TOO_OLD: [400, 'the runner speaks another version of the protocol; update the client'],
  PLAN_FILE_NOT_FOUND: [404, 'plan file not found for this directory and workspace'],
  PLAN_FILE_REPLACED: [409, 'a newer upload takes the place of this plan file'],
  POOL_EXISTS: [409, 'the tenant already has a pool with this name'],
  POOL_NOT_FOUND: [404, 'runner pool not found'],
  PULL_REQUEST_NOT_FOUND: [404, 'pull request not found'],
  DRIFT_SCHEDULE_NOT_FOUND: [404, 'drift schedule not found'],
  CONFIGURATION_INVALID: [409, 'the configuration of the default branch is not valid'],
  WORK_MANIFEST_NOT_RUNNING: [403, 'the run of this work manifest is not in progress'],
});
