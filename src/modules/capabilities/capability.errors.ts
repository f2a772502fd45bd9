import { defineErrors } from '../../platform/errors/index.js';

export const capabilityErrors = defineErrors({
  GRANT_BEYOND_TENANT: [422, 'the grant extends beyond this tenant'],
  GROUP_RULE_NOT_FOUND: [404, 'active rule not found in the tenant'],
});
