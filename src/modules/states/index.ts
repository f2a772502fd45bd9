export { StateWritten } from './state-written.event.js';
export type { InstanceBatch } from './state-written.event.js';
export { StatesModule } from './states.module.js';
export { StateEntity } from './entities/state.entity.js';
export { stateErrors } from './states.errors.js';
export { acceptableTags } from './tags.rules.js';
export { pageLimit } from './page-limit.js';
export { VersionStored } from './version-stored.event.js';
