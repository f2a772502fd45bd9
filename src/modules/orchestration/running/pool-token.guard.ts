import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { Config } from '../../../platform/config/index.js';
import { credentialOf } from '../../access/index.js';
import { vcsErrors } from '../../vcs/index.js';
import { RunTokens } from './run-tokens.js';

/** Requires the token of a runner pool: 401 for an unknown token, then 503 while orchestration is off, before the body is read. */
@Injectable()
export class PoolTokenGuard implements CanActivate {
  constructor(
    private readonly tokens: RunTokens,
    private readonly config: Config,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { headers } = context.switchToHttp().getRequest<Request>();
    await this.tokens.findPool(credentialOf(headers));
    if (!this.config.get('SERVICE_ORCHESTRATION_ENABLED')) throw vcsErrors.ORCHESTRATION_DISABLED();
    return true;
  }
}
