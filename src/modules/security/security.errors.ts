import { defineErrors } from '../../platform/errors/index.js';

export const securityErrors = defineErrors({
  SECURITY_DISABLED: [503, 'security scanning is switched off on this server'],
  WAIVER_NOT_FOUND: [404, 'waiver not found'],
  CHECK_NOT_FOUND: [404, 'check not found'],
});
