import { defineErrors } from '../../platform/errors/index.js';

export const accessErrors = defineErrors({
  ADMIN_REQUIRED: [403, 'only an administrator can do this'],
  CAPABILITY_UNAUTHORIZED: [403, 'your rights do not cover this change, or the user whom it concerns'],
});
