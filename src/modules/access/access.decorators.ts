import { applyDecorators, createParamDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';
import { ApiExtension, ApiResponse, ApiSecurity } from '@nestjs/swagger';
import type { Request } from 'express';
import { ErrorBody } from '../../platform/http/index.js';
import {
  ACCEPTED_KINDS,
  type AcceptedKinds,
  AVAILABILITY,
  type Availability,
  DECLARATION,
  type Declaration,
  EVERYDAY,
  type ScopeOptions,
  type ScopeParameter,
} from './access.declaration.js';
import { callerIfAny, callerOf, enteredRow } from './caller.js';
import type { Capability } from './grants.js';
import type { CredentialKind } from './principal.js';

/** The principal of the request; on a public route there is none and asking for it is an error. */
export const Caller = createParamDecorator((_: unknown, context: ExecutionContext) =>
  callerOf(context.switchToHttp().getRequest<Request>()),
);

/** The principal on a public route that identifies its callers, or undefined. */
export const CallerIfAny = createParamDecorator((_: unknown, context: ExecutionContext) =>
  callerIfAny(context.switchToHttp().getRequest<Request>()),
);

/** The row that the path names, read by the guard; its kind is what the scope's resolver keeps. */
export const Entered = createParamDecorator((_: unknown, context: ExecutionContext) =>
  enteredRow(context.switchToHttp().getRequest<Request>()),
);

/** Anybody, without a credential. `identifies` makes `@CallerIfAny()` say who it is all the same. */
export function Public({ identifies = false } = {}): MethodDecorator {
  return applyDecorators(declare({ rule: 'public', identifies }), ApiExtension('x-public', true));
}

/** Any valid credential of a person or a service account. */
export function SignedIn(): MethodDecorator {
  return applyDecorators(declare({ rule: 'signed-in' }), refusals(401));
}

/** Any member of the tenant an id belongs to, or an administrator over it; for anybody else the id does not exist. */
export function RequiresMember(scope: ScopeParameter, options: ScopeOptions = {}): MethodDecorator {
  return applyDecorators(declare({ rule: 'member', scope, options }), refusals(401, 403, 404));
}

/** A capability (any one of several) in a scope; membership of the tenant comes first, as in `RequiresMember`. */
export function Requires(
  capability: Capability | readonly Capability[],
  scope: ScopeParameter | 'installation' | 'anywhere',
  options: ScopeOptions = {},
): MethodDecorator {
  const capabilities = typeof capability === 'string' ? [capability] : capability;
  return applyDecorators(
    declare({ rule: 'capability', capabilities, scope, options }),
    ApiExtension('x-capabilities', { any: capabilities, scope }),
    typeof scope === 'string' ? refusals(401, 403) : refusals(401, 403, 404),
  );
}

/** Whoever is signed in is refused while the setting is off, before ids, queries or bodies are looked at. */
export function OnlyWhile(
  setting: Availability['setting'],
  refusal: Availability['refusal'],
): ClassDecorator & MethodDecorator {
  return SetMetadata<string, Availability>(AVAILABILITY, { setting, refusal });
}

/** Credential kinds besides sessions and API keys that the route takes. */
export function Accepts(...kinds: CredentialKind[]): MethodDecorator {
  return SetMetadata<string, AcceptedKinds>(ACCEPTED_KINDS, { kinds: [...EVERYDAY.kinds, ...kinds] });
}

/** The only credential kinds that the route takes; with any other one the caller is not authenticated. */
export function AcceptsOnly(
  kinds: readonly CredentialKind[],
  options: Pick<AcceptedKinds, 'otherwise'> = {},
): MethodDecorator {
  return SetMetadata<string, AcceptedKinds>(ACCEPTED_KINDS, { kinds, ...options });
}

function declare(declaration: Declaration): MethodDecorator {
  return SetMetadata(DECLARATION, declaration);
}

const MEANING: Record<number, string> = {
  401: 'no valid credential',
  403: 'the credential does not allow this',
  404: 'unknown, or not visible to the caller',
};

function refusals(...statuses: number[]): MethodDecorator {
  return applyDecorators(
    ApiSecurity('bearer'),
    ApiSecurity('basic'),
    ApiSecurity('session'),
    ...statuses.map((status) =>
      ApiResponse({ status, description: MEANING[status] ?? 'refused', type: ErrorBody }),
    ),
  );
}
