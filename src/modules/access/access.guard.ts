import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { Config } from '../../platform/config/config.js';
import { AppError, httpErrors } from '../../platform/errors/index.js';
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
import { AccessDecisions } from './access.decisions.js';
import { rememberCaller, rememberEntered } from './caller.js';
import { covers, scopeOf } from './capability.rules.js';
import { credentialOf } from './credential-header.js';
import { isUuid } from '../../platform/text/uuid.js';
import type { Capability } from './grants.js';
import type { Principal } from './principal.js';
import { Principals } from './principals.js';
import { type ScopedRow, ScopeResolvers } from './scope-resolvers.js';

/** Stands before every route. A route that declares nothing is closed to everybody. */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly principals: Principals,
    private readonly scopes: ScopeResolvers,
    private readonly decisions: AccessDecisions,
    private readonly config: Config,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const route = [context.getHandler(), context.getClass()];
    const declaration = this.reflector.getAllAndOverride<Declaration | undefined>(DECLARATION, route);
    const request = context.switchToHttp().getRequest<Request>();
    const accepted =
      this.reflector.getAllAndOverride<AcceptedKinds | undefined>(ACCEPTED_KINDS, route) ?? EVERYDAY;
    if (declaration?.rule === 'public') {
      if (declaration.identifies) await this.identify(request, accepted);
      return true;
    }
    const caller = await this.identify(request, accepted);
    if (!caller) throw this.unidentified(request, accepted);
    const availability = this.reflector.getAllAndOverride<Availability | undefined>(AVAILABILITY, route);
    if (availability && !this.config.get(availability.setting)) throw availability.refusal();
    if (!declaration) throw httpErrors.FORBIDDEN();
    await this.authorize(caller, declaration, request);
    return true;
  }

  private async identify(request: Request, { kinds }: AcceptedKinds): Promise<Principal | undefined> {
    const credential = credentialOf(request.headers);
    const caller = credential === undefined ? undefined : await this.principals.ofCredential(credential);
    if (!caller || !kinds.includes(caller.kind)) return undefined;
    rememberCaller(request, caller);
    return caller;
  }

  private unidentified(request: Request, { otherwise }: AcceptedKinds): Error {
    const sent = credentialOf(request.headers) !== undefined;
    if (!sent) return httpErrors.UNAUTHENTICATED();
    if (otherwise === 403) return httpErrors.FORBIDDEN();
    return httpErrors.UNAUTHENTICATED('the credential is unknown, revoked, expired, or not for this route');
  }

  private async authorize(
    caller: Principal,
    declaration: Exclude<Declaration, { rule: 'public' }>,
    request: Request,
  ): Promise<void> {
    switch (declaration.rule) {
      case 'signed-in':
        return;
      case 'member':
        await this.enter(caller, declaration.scope, declaration.options, request);
        return;
      case 'capability':
        await this.authorizeCapability(caller, declaration, request);
    }
  }

  private async authorizeCapability(
    caller: Principal,
    { capabilities, scope, options }: Extract<Declaration, { rule: 'capability' }>,
    request: Request,
  ): Promise<void> {
    const held = caller.capabilities;
    if (scope === 'anywhere') {
      if (!capabilities.some((name) => scopeOf(held, name))) throw httpErrors.FORBIDDEN();
      return;
    }
    if (scope === 'installation') {
      if (!capabilities.some((capability) => covers(held, { capability }))) throw httpErrors.FORBIDDEN();
      return;
    }
    if (options.administers) return this.authorizeAdministration(caller, capabilities, scope, request);
    // A credential limited to a state's outputs sees the state; the capability decides about the rest.
    const place = await this.enter(caller, scope, { ...options, reads: 'outputs' }, request);
    const isHeld = (capability: Capability) =>
      covers(held, { capability, ...place }) ||
      (options.partial === true && scopeOf(held, capability)?.states !== undefined);
    if (!capabilities.some(isHeld)) throw this.lacking(scope, capabilities);
  }

  private async authorizeAdministration(
    caller: Principal,
    capabilities: readonly Capability[],
    scope: ScopeParameter,
    request: Request,
  ): Promise<void> {
    const [kind, parameter] = entryOf(scope);
    const id = request.params[parameter];
    const row = await this.scopes.rowOf(kind, typeof id === 'string' ? id : undefined);
    if (!row)
      throw this.decisions.isInstallationAdmin(caller)
        ? this.scopes.of(kind).notFound()
        : httpErrors.FORBIDDEN();
    const { tenantId } = row;
    if (!capabilities.some((capability) => this.decisions.may(caller, capability, { tenantId })))
      throw httpErrors.FORBIDDEN();
    rememberEntered(request, row);
  }

  /** Makes sure the caller may see what the path names, and answers where it is. */
  private async enter(
    caller: Principal,
    scope: ScopeParameter,
    options: ScopeOptions,
    request: Request,
  ): Promise<{ tenantId: string; stateId?: string }> {
    const [kind, parameter] = entryOf(scope);
    const id = request.params[parameter];
    const row = await this.scopes.rowOf(kind, typeof id === 'string' ? id : undefined);
    const stranger = options.stranger ?? (() => this.notFound(kind, id));
    if (row === undefined || typeof id !== 'string') throw stranger();
    if (this.scopes.of(kind).reaches?.(caller, id.toLowerCase()) === false) throw stranger();
    const { tenantId } = row;
    rememberEntered(request, row);
    if (kind !== 'state') {
      if (!this.decisions.isMember(caller, tenantId) && !reachesOwn(caller, kind, row)) throw stranger();
      return { tenantId };
    }
    const stateId = id.toLowerCase();
    const reading = this.decisions.reading(caller, tenantId, stateId);
    if (reading === 'none') throw stranger();
    if (reading === 'outputs' && options.reads !== 'outputs') throw httpErrors.FORBIDDEN();
    return { tenantId, stateId };
  }

  /** Says so where a name stands in the place of an id, which is a mistake that a missing object does not explain. */
  private notFound(kind: string, id: unknown): Error {
    const refusal = this.scopes.of(kind).notFound();
    if (isUuid(id)) return refusal;
    return new AppError(
      refusal.id,
      refusal.status,
      `${refusal.message}: the path takes an id, which is a UUID`,
    );
  }

  private lacking(scope: ScopeParameter, capabilities: readonly Capability[]): Error {
    const [kind] = entryOf(scope);
    const [capability = 'admin'] = capabilities;
    return this.scopes.of(kind).lacking?.(capability) ?? httpErrors.FORBIDDEN();
  }
}

/**
 * A credential that is bound to states and acts for others (a run) enters its tenant, to begin transactions there, and
 * the transactions that it or those others began.
 */
function reachesOwn(
  { actsFor, tenantIds }: Principal,
  kind: string,
  { tenantId, madeWith }: ScopedRow,
): boolean {
  if (actsFor === undefined || !tenantIds.includes(tenantId)) return false;
  if (kind === 'tenant') return true;
  return kind === 'tx' && madeWith !== null && madeWith !== undefined && actsFor.includes(madeWith);
}

export function entryOf(scope: ScopeParameter): [kind: string, parameter: string] {
  const [entry] = Object.entries(scope);
  if (!entry) throw new Error('a scope names one path parameter');
  return entry;
}
