export { isUuid } from '../../platform/text/uuid.js';
export { type Declaration, DECLARATION } from './access.declaration.js';
export { LimitsCreation } from './creation-limit.js';
export { AccessDecisions, type Place } from './access.decisions.js';
export {
  Accepts,
  AcceptsOnly,
  Caller,
  CallerIfAny,
  Entered,
  OnlyWhile,
  Public,
  Requires,
  RequiresMember,
  SignedIn,
} from './access.decorators.js';
export { accessErrors } from './access.errors.js';
export { AccessInventory, type RouteAccess } from './access-inventory.js';
export { AccessModule } from './access.module.js';
export { Administration } from './administration.js';
export { callerIfAny } from './caller.js';
export {
  canonical,
  covers,
  isInstallationAdmin,
  isStateBound,
  mask,
  outranks,
  reaches,
  type Requirement,
  scopeOf,
  type StateReading,
  union,
  within,
} from './capability.rules.js';
export { credentialOf, SESSION_COOKIE, usesSessionCookie } from './credential-header.js';
export {
  CAPABILITIES,
  type Capability,
  type Grants,
  grantsRefusal,
  parseGrants,
  type Scope,
} from './grants.js';
export type { CredentialKind, Principal, UserType } from './principal.js';
export { Principals } from './principals.js';
export { addressSubject, type RateLimit, RateLimits } from './rate-limits.js';
export { isUnscoped, type TenantLookup } from './scope.rules.js';
export { ResolvesScope, type ScopedRow, type ScopeResolver, ScopeResolvers } from './scope-resolvers.js';
export { ServiceTokens, type TokenClaims } from './service-tokens.js';
export { SigningKeys } from './signing-keys.js';
export { type OriginLimits, ResolvesToken, type TokenResolver } from './token-resolvers.js';
