import { defineErrors } from '../../platform/errors/index.js';

export const capabilityErrors = defineErrors({
  GRANT_BEYOND_TENANT: [422, 'a group rule must not grant anything outside of its tenant'],
  GROUP_RULE_NOT_FOUND: [404, 'group rule not found in the tenant'],
});
