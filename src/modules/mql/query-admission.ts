import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { AppError } from '../../platform/errors/index.js';

/** Queries of one principal that may run at the same time. */
const MOST_OF_ONE = 2;

/** Lets in as many queries as there are connections for them; the others are told to come back, none waits. */
@Injectable()
export class QueryAdmission {
  private readonly running = new Map<string, number>();
  private total = 0;
  private readonly most: number;

  constructor(config: Config) {
    this.most = config.get('SERVICE_MQL_POOL_SIZE');
  }

  async run<T>(principal: string, task: () => Promise<T>): Promise<T> {
    const own = this.running.get(principal) ?? 0;
    if (own >= MOST_OF_ONE) throw full(`${MOST_OF_ONE} of your queries are running`);
    if (this.total >= this.most) throw full('too many queries are running');
    this.running.set(principal, own + 1);
    this.total++;
    try {
      return await task();
    } finally {
      this.total--;
      const left = (this.running.get(principal) ?? 1) - 1;
      if (left > 0) this.running.set(principal, left);
      else this.running.delete(principal);
    }
  }
}

function full(message: string): AppError {
  return new AppError('RESOURCE_LIMIT_ERR', 429, `${message}, try again`, { 'Retry-After': '1' });
}
