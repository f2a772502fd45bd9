import { defineErrors } from '../../platform/errors/index.js';

export const accessErrors = defineErrors({
  ADMIN_REQUIRED: [403, 'this requires an administrator'],
  CAPABILITY_UNAUTHORIZED: [403, 'insufficient authority'],
});
