import { type CanActivate, createParamDecorator, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { Config } from '../../../platform/config/index.js';
import { credentialOf } from '../../access/index.js';
import { vcsErrors } from '../../vcs/index.js';
import type { RunnerPoolEntity } from '../entities/run-artifact.entities.js';
import { RunTokens } from './run-tokens.js';

const pools = new WeakMap<Request, RunnerPoolEntity>();

/** Requires the token of a runner pool: 401 for an unknown token, then 503 while orchestration is off, before the body is read. */
@Injectable()
export class PoolTokenGuard implements CanActivate {
  constructor(
    private readonly tokens: RunTokens,
    private readonly config: Config,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    pools.set(request, await this.tokens.findPool(credentialOf(request.headers)));
    if (!this.config.get('SERVICE_ORCHESTRATION_ENABLED')) throw vcsErrors.ORCHESTRATION_DISABLED();
    return true;
  }
}

/** The pool whose token the guard found. */
export const ClaimingPool = createParamDecorator(
  (_: unknown, context: ExecutionContext): RunnerPoolEntity => {
    const pool = pools.get(context.switchToHttp().getRequest<Request>());
    if (!pool) throw new Error('the route lacks PoolTokenGuard');
    return pool;
  },
);
