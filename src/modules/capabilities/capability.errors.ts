import { defineErrors } from '../../platform/errors/index.js';

export const capabilityErrors = defineErrors({
  GRANT_BEYOND_TENANT: [422, 'the grant reaches beyond this tenant'],
  GROUP_RULE_NOT_FOUND: [404, 'the tenant has no such active rule'],
});
