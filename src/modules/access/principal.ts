import type { Grants } from './grants.js';
import type { TokenClaims } from './service-tokens.js';

export type UserType = 'user' | 'api' | 'system';

/** `session` and `key` are accepted everywhere; other kinds only where a route says so with `@Accepts`. */
export type CredentialKind = 'session' | 'key' | 'access' | 'refresh' | (string & {});

/** Who sends a request, and what the credential at hand allows. */
export interface Principal {
  readonly kind: CredentialKind;
  /** `session:<jti>`, `key:<api key id>`, or whatever the resolver of another kind says; fit for logs and audit */
  readonly credentialId: string;
  readonly userId: string;
  readonly userName: string;
  readonly userType: UserType;
  /** sessions of an older epoch have ended */
  readonly sessionEpoch: number;
  /** already cut down to what the user holds at this moment */
  readonly capabilities: Grants;
  /** a key made for single states: it reads nothing but what its capabilities name, even when they are none any more */
  readonly stateBound: boolean;
  /** the tenants the user is a member of, as far as the credential reaches them */
  readonly tenantIds: readonly string[];
  /** those that the user was not added to by administrators of that tenant alone */
  readonly homeTenantIds: readonly string[];
  /** tenants that only a group rule makes the user an administrator of */
  readonly ruleAdminTenantIds: readonly string[];
  /** made before the account was linked to a person: it reaches no other tenant than these */
  readonly tenantCeiling: readonly string[] | undefined;
  /** group rules that matched when the session began; keys made by the session keep them */
  readonly groupRuleIds: readonly string[];
  /** claims of a token of another kind, as its resolver left them */
  readonly claims: Readonly<Record<string, unknown>>;
  /** credentials whose transactions this one may use although it is bound to single states */
  readonly actsFor?: readonly string[];
  /** what the credential says, when it is a signed token; the principal can be read again from it */
  readonly token?: TokenClaims;
}
