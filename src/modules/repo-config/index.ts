export { parseGivenConfig, parseRepoConfig } from './config.parser.js';
export {
  type ApplyRequirements,
  configJsonSchema,
  DEFAULT_CONFIG,
  type EngineConfig,
  type RepoConfig,
  type StateReference,
  type WorkflowStep,
} from './config.schema.js';
export {
  changedDirspaces,
  type Dirspace,
  dirspacesOf,
  rootDirectories,
  taggedDirectory,
  taggingOf,
} from './directories.rules.js';
export { explainConfig, type ExplainedKey, type GivenKeys } from './explained-config.rules.js';
export { globMatcher } from './glob.rules.js';
export { type Gate, GATE_LIMITS, type Hook, type Hooks, hooksFor } from './hooks.schema.js';
export {
  dependenciesOf,
  DependencyCycle,
  dirspaceKey,
  type DirspaceKey,
  readyDirspaces,
  unmatchedDependencies,
} from './layers.rules.js';
export { type ChangedFile, ChangedFiles } from './patterns.rules.js';
export { InvalidRepoConfig } from './repo-config.errors.js';
export {
  parseRepositoryIndex,
  type RepositoryIndex,
  rootsOf,
  throughLinks,
  usedDirectories,
} from './repository-index.rules.js';
export { RepoConfigModule } from './repo-config.module.js';
export { effectiveConfig, type EffectiveConfig } from './trust.rules.js';
export { MAX_TYPING_DISTANCE, typingDistance } from './typing-distance.rules.js';
