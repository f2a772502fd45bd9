import { defineErrors } from '../../platform/errors/index.js';

export const accessErrors = defineErrors({
  ADMIN_REQUIRED: [403, 'only an administrator can do this'],
  CAPABILITY_UNAUTHORIZED: [403, 'your rights do not allow this change, or you may not change this user'],
});
