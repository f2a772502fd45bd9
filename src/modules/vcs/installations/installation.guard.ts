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
import type { InstallationEntity, Provider } from '../entities/installation.entity.js';
import { VcsSettings } from '../hosts/vcs-settings.js';
import { InstallationQueries } from './installations.queries.js';

const PROVIDER = 'vcs:provider';
const entered = new WeakMap<object, LinkedInstallation>();

/** An installation that is linked at this moment. */
export type LinkedInstallation = InstallationEntity & { tenantId: string };

/** The provider whose installations a controller serves. */
export const InstallationsOf = (provider: Provider): ClassDecorator => SetMetadata(PROVIDER, provider);

/**
 * Opens the installation that `:installationId` names (the provider's own id) for members of the tenant it is linked to.
 * Unknown, unlinked and foreign installations all answer 403, and so does every one while orchestration is off.
 */
@Injectable()
export class InstallationGuard implements CanActivate {
  constructor(
    private readonly installations: InstallationQueries,
    private readonly access: AccessDecisions,
    private readonly settings: VcsSettings,
    private readonly reflector: Reflector,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    const caller = callerIfAny(request);
    const provider = this.reflector.get<Provider | undefined>(PROVIDER, context.getClass());
    const { installationId } = request.params;
    if (!caller || !provider || typeof installationId !== 'string' || !this.settings.isEnabled)
      throw httpErrors.FORBIDDEN();
    // Ids of both providers are whole numbers; anything else would only be compared in vain.
    const installation = /^\d{1,20}$/.test(installationId)
      ? await this.installations.findByProviderId(provider, installationId)
      : null;
    if (!isLinked(installation) || !this.access.isMember(caller, installation.tenantId))
      throw httpErrors.FORBIDDEN();
    entered.set(request, installation);
    return true;
  }
}

/** The installation that the guard opened. */
export const EnteredInstallation = createParamDecorator(
  (_: unknown, context: ExecutionContext): LinkedInstallation => {
    const installation = entered.get(context.switchToHttp().getRequest<Request>());
    if (!installation) throw new Error('the route lacks InstallationGuard');
    return installation;
  },
);

function isLinked(installation: InstallationEntity | null): installation is LinkedInstallation {
  return installation !== null && installation.tenantId !== null;
}
