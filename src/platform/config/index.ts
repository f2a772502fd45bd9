export type { AllowedSource } from './allowed-sources.js';
export {
  Config,
  ConfigurationError,
  environmentSchema,
  loadConfig,
  unknownVariables,
  parseByteSize,
} from './config.js';
export { ConfigModule } from './config.module.js';
export { ProcessRole, type Role } from './process-role.js';
