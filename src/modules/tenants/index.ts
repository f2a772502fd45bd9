export { Memberships } from './memberships.js';
export { tenantErrors } from './tenant.errors.js';
export { TenantsModule } from './tenants.module.js';
export { TenantsService } from './tenants.service.js';
