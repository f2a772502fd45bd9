import {
  type CanActivate,
  createParamDecorator,
  type ExecutionContext,
  Injectable,
  SetMetadata,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { httpErrors } from '../../../platform/errors/index.js';
import { AccessDecisions, callerIfAny } from '../../access/index.js';
import { InstallationQueries, type Provider } from '../../vcs/index.js';

const PROVIDER = 'orchestration:provider';
const entered = new WeakMap<object, string>();

/** The code-hosting provider whose installations a controller serves. */
export const InstallationsOf = (provider: Provider): ClassDecorator => SetMetadata(PROVIDER, provider);

/**
 * Lets members of the tenant in that the installation is linked to, and administrators over it, before anything of the
 * request is validated. Unknown, unlinked and foreign installations all answer 403 (notes 9.4).
 */
@Injectable()
export class InstallationEntry implements CanActivate {
  constructor(
    private readonly installations: InstallationQueries,
    private readonly access: AccessDecisions,
    private readonly reflector: Reflector,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    const caller = callerIfAny(request);
    const provider = this.reflector.get<Provider | undefined>(PROVIDER, context.getClass());
    const { installationId } = request.params;
    if (!caller || !provider || typeof installationId !== 'string') throw httpErrors.FORBIDDEN();
    const found = await this.installations.findLinked(provider, installationId);
    if (!found || !this.access.isMember(caller, found.tenantId)) throw httpErrors.FORBIDDEN();
    entered.set(request, found.id);
    return true;
  }
}

/** Our id of the installation that the guard let the caller see. */
export const EnteredInstallation = createParamDecorator((_: unknown, context: ExecutionContext): string => {
  const id = entered.get(context.switchToHttp().getRequest<Request>());
  if (id === undefined) throw new Error('the route lacks InstallationEntry');
  return id;
});
