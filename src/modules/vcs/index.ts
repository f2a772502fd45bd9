export { type Provider, PROVIDERS } from './entities/installation.entity.js';
export { InstallationDeleted } from './installation-deleted.event.js';
export { InstallationQueries } from './installations.queries.js';
export { VcsModule } from './vcs.module.js';
