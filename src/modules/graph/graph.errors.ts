import { defineErrors } from '../../platform/errors/index.js';

export const graphErrors = defineErrors({
  INSTANCE_NOT_FOUND: [404, 'instance not found in the state'],
});
