import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { Config } from '../../platform/config/index.js';
import { httpErrors } from '../../platform/errors/index.js';
import { callerIfAny } from '../access/index.js';
import { tokenCapabilitiesOf } from './token-capabilities.rules.js';
import { tokenErrors } from './token.errors.js';

/** Closed in the community edition, whatever the body looks like. */
@Injectable()
export class EnterpriseGuard implements CanActivate {
  constructor(private readonly config: Config) {}

  canActivate(_context: ExecutionContext): boolean {
    if (this.config.get('SERVICE_EDITION') !== 'enterprise') throw tokenErrors.EDITION_REQUIRED();
    return true;
  }
}

/** Managing refresh tokens needs `access_token_create` (contract-notes.md section 2). */
@Injectable()
export class TokenManagementGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const caller = callerIfAny(context.switchToHttp().getRequest<Request>());
    if (!caller || !tokenCapabilitiesOf(caller).includes('access_token_create')) throw httpErrors.FORBIDDEN();
    return true;
  }
}
