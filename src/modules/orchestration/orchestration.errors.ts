import { defineErrors } from '../../platform/errors/index.js';

export const orchestrationErrors = defineErrors({
  WORK_MANIFEST_NOT_FOUND: [404, 'the work manifest does not exist'],
  WORK_MANIFEST_NOT_RUNNING: [403, 'the work manifest is not running'],
});
