import { Injectable } from '@nestjs/common';
import { DeliveriesStore, type StoredDelivery } from './deliveries.store.js';

const DELIVERIES_PER_STATEMENT = 16;
const BYTES_PER_STATEMENT = 2 * 1024 * 1024;
/** The others wait; a burst of deliveries leaves connections to other requests. */
const STATEMENTS_AT_ONCE = 2;

interface Waiting {
  delivery: StoredDelivery;
  resolve: (isNew: boolean) => void;
  reject: (error: unknown) => void;
}

/** Stores deliveries that arrive while others are being stored together, in one statement. */
@Injectable()
export class DeliveryBatches {
  private readonly waiting: Waiting[] = [];
  private running = 0;

  constructor(private readonly deliveries: DeliveriesStore) {}

  /** False for a delivery that was stored before. Answers after the commit. */
  store(delivery: StoredDelivery): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ delivery, resolve, reject });
      this.startNext();
    });
  }

  private startNext(): void {
    while (this.running < STATEMENTS_AT_ONCE && this.waiting.length > 0) {
      this.running += 1;
      void this.storeBatch(this.takeBatch()).finally(() => {
        this.running -= 1;
        this.startNext();
      });
    }
  }

  /** One at least, of any size. */
  private takeBatch(): Waiting[] {
    let bytes = 0;
    let count = 0;
    for (const { delivery } of this.waiting) {
      bytes += delivery.body.length;
      if (count > 0 && (bytes > BYTES_PER_STATEMENT || count === DELIVERIES_PER_STATEMENT)) break;
      count += 1;
    }
    return this.waiting.splice(0, count);
  }

  private async storeBatch(batch: readonly Waiting[]): Promise<void> {
    try {
      const stored = await this.deliveries.store(batch.map(({ delivery }) => delivery));
      for (const [index, { resolve }] of batch.entries()) resolve(stored[index] === true);
    } catch (error) {
      if (batch.length === 1) return batch[0]?.reject(error);
      // One of them may be the reason; the others are stored all the same.
      for (const one of batch) await this.storeBatch([one]);
    }
  }
}
