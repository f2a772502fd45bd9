import type { AppError } from '../../platform/errors/index.js';
import type { Capability } from './grants.js';
import type { CredentialKind } from './principal.js';

export const DECLARATION = 'access:declaration';
export const ACCEPTED_KINDS = 'access:accepted-kinds';

/** `{tenant: 'tenantId'}`: the kind of scope, and the path parameter that carries its id. Exactly one entry. */
export type ScopeParameter = Readonly<Record<string, string>>;

export interface ScopeOptions {
  /** answer for strangers instead of the scope's 404 (`/tx/{id}/costs` answers 401) */
  stranger?: () => AppError;
  /** the route shows outputs only, so that a credential limited to them may use it */
  reads?: 'outputs';
  /** a grant over single states is enough to enter; the service asks about each state that is touched */
  partial?: true;
  /**
   * The route administers what the path names: whoever lacks the capability gets 403, whether the id exists or not
   * (interface.md section 5 item 9); 404 is for those who hold it everywhere.
   */
  administers?: true;
}

/** What a route asks of its caller. */
export type Declaration =
  /** `identifies`: a valid credential is looked at when there is one */
  | { readonly rule: 'public'; readonly identifies: boolean }
  | { readonly rule: 'signed-in' }
  | { readonly rule: 'member'; readonly scope: ScopeParameter; readonly options: ScopeOptions }
  | {
      readonly rule: 'capability';
      readonly capabilities: readonly Capability[];
      /** `anywhere`: a grant of any scope; the service decides about the object */
      readonly scope: ScopeParameter | 'installation' | 'anywhere';
      readonly options: ScopeOptions;
    };

export interface AcceptedKinds {
  readonly kinds: readonly CredentialKind[];
  /** status for a credential that is invalid or of another kind; none at all is always 401 */
  readonly otherwise?: 401 | 403;
}

export const EVERYDAY: AcceptedKinds = { kinds: ['session', 'key'] };
