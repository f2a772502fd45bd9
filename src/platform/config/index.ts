export type { AllowedSource } from './allowed-sources.js';
export { Config, ConfigurationError, environmentSchema, loadConfig, unknownVariables } from './config.js';
export { ConfigModule } from './config.module.js';
export { ProcessRole, type Role } from './process-role.js';
export { parseByteSize } from './setting-types.js';
