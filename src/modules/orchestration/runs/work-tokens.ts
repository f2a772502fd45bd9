import { Injectable } from '@nestjs/common';
import { Secrets } from '../../../platform/crypto/secrets.js';

/** What a run's work token starts with, so that it is recognized in a leak. */
export const WORK_TOKEN_PREFIX = 'infrastate_work_';
export const POOL_TOKEN_PREFIX = 'infrastate_pool_';

/** Tokens of runs and pools: random, kept as a hash, shown once. */
@Injectable()
export class WorkTokens {
  constructor(private readonly secrets: Secrets) {}

  create(): string {
    return `${WORK_TOKEN_PREFIX}${this.secrets.token()}`;
  }

  createForPool(): string {
    return `${POOL_TOKEN_PREFIX}${this.secrets.token()}`;
  }
}
