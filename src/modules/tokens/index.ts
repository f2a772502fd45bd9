export { LinkedAccounts } from './linked-accounts.service.js';
export {
  isForProvider,
  isInstallationId,
  type NamedTokenCapability,
  parseTokenCapabilities,
  TOKEN_CAPABILITIES,
  type TokenCapability,
  tokenCapabilitiesOf,
} from './token-capabilities.rules.js';
export { TokensModule } from './tokens.module.js';
