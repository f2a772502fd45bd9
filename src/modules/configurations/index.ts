export { ConfigurationsModule } from './configurations.module.js';
export {
  type BlockSource,
  Configurations,
  type Plannable,
  type PlannableNode,
} from './configurations.service.js';
export type { ConfigurationEntry, ConfigurationNode } from './configuration-node.rules.js';
export { withoutBackend } from './raw-body.rules.js';
export { addressOf, blockOf, isTooDeep, nodeIdOf, referencesOf } from './hcl-block.rules.js';
export { sensitiveVariablesIn } from './sensitive-variables.js';
