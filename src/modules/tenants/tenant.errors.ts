import { defineErrors } from '../../platform/errors/index.js';

export const tenantErrors = defineErrors({
  TENANT_NOT_FOUND: [404, 'tenant not found'],
  TENANT_NAME_CONFLICT: [409, 'a tenant with this name exists'],
});
