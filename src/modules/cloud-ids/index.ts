export { type CloudProvider, MATCHER_VERSION } from './cloud-id.js';
export { CloudIdsChanged } from './cloud-ids-changed.event.js';
export { CloudIdsModule } from './cloud-ids.module.js';
export { cloudIdsOf, cloudOf, lookupIdsOf } from './cloud-ids.rules.js';
export { CloudIds, type IdentifiedInstance } from './cloud-ids.store.js';
