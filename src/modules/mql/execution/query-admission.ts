import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { AppError } from '../../../platform/errors/index.js';
import { FairSlots, NoSlot } from '../../../platform/threads/index.js';
import type { Principal } from '../../access/index.js';

/** Queries of one principal that may run, or have an answer on its way, at the same time. */
const MAX_PER_PRINCIPAL = 2;
const MAX_WAITING = 64;
const MAX_WAITING_PER_TENANT = 8;
const MAX_WAIT_MS = 3000;

/**
 * Lets in as many queries as there are connections for them. Tenants take turns, and one tenant has half of the
 * connections at most, however many people and service accounts ask in it: each may keep a core of the database busy.
 */
@Injectable()
export class QueryAdmission {
  private readonly places = new Map<string, number>();
  private readonly slots: FairSlots;

  constructor(config: Config) {
    const slots = config.get('SERVICE_MQL_POOL_SIZE');
    this.slots = new FairSlots({
      slots,
      perGroup: Math.max(1, Math.floor(slots / 2)),
      maxWaiting: MAX_WAITING,
      maxWaitingPerGroup: MAX_WAITING_PER_TENANT,
      maxWaitMs: MAX_WAIT_MS,
    });
  }

  /** One of the principal's places, until what is returned is called. */
  enter(principal: string): () => void {
    const own = this.places.get(principal) ?? 0;
    if (own >= MAX_PER_PRINCIPAL) throw full(`${MAX_PER_PRINCIPAL} of your queries are running`);
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

  /** What uses a connection. `hold` keeps the connection counted until a promise settles. */
  async run<T>(
    caller: Pick<Principal, 'userId' | 'tenantIds'>,
    task: (hold: (until: Promise<unknown>) => void) => Promise<T>,
  ): Promise<T> {
    try {
      return await this.slots.run(groupOf(caller), task);
    } catch (error) {
      throw error instanceof NoSlot ? full('too many queries are running') : error;
    }
  }
}

/** People of one tenant are counted together; who belongs to several counts for one of them, always the same. */
function groupOf({ userId, tenantIds }: Pick<Principal, 'userId' | 'tenantIds'>): string {
  return tenantIds.toSorted()[0] ?? userId;
}

function full(message: string): AppError {
  return new AppError('RESOURCE_LIMIT_ERR', 429, `${message}, try again`, { 'Retry-After': '1' });
}
