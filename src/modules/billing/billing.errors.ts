import { defineErrors } from '../../platform/errors/index.js';

export const billingErrors = defineErrors({
  BILLING_SOURCE_NOT_FOUND: [404, 'billing source not found'],
  BILLING_SOURCE_EXISTS: [409, 'the tenant already has a billing source with this provider and address'],
  SOURCE_NOT_ALLOWED: [403, 'the operator does not allow this tenant to read the address'],
  BILLING_SYNC_FAILED: [422, 'the billing source could not be loaded; its last_error says why'],
});
