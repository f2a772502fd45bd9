import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { AppError } from '../../platform/errors/index.js';

/** Queries of one principal that may run, or have an answer on its way, at the same time. */
const MOST_OF_ONE = 2;

/** Lets in as many queries as there are connections for them; the others are told to come back, none waits. */
@Injectable()
export class QueryAdmission {
  private readonly places = new Map<string, number>();
  private running = 0;
  private readonly most: number;

  constructor(config: Config) {
    this.most = config.get('SERVICE_MQL_POOL_SIZE');
  }

  /** One of the principal's places, until what is returned is called. */
  enter(principal: string): () => void {
    const own = this.places.get(principal) ?? 0;
    if (own >= MOST_OF_ONE) throw full(`${MOST_OF_ONE} of your queries are running`);
    this.places.set(principal, own + 1);
    let isIn = true;
    return () => {
      if (!isIn) return;
      isIn = false;
      const left = (this.places.get(principal) ?? 1) - 1;
      if (left > 0) this.places.set(principal, left);
      else this.places.delete(principal);
    };
  }

  /** What uses a connection. */
  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.running >= this.most) throw full('too many queries are running');
    this.running++;
    try {
      return await task();
    } finally {
      this.running--;
    }
  }
}

function full(message: string): AppError {
  return new AppError('RESOURCE_LIMIT_ERR', 429, `${message}, try again`, { 'Retry-After': '1' });
}
