import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import type { InstanceBatch } from '../../states/index.js';

const COLUMNS =
  'state_id, key, tenant_id, address, resource_address, mode, type, name, module, provider, index_key, deposed, status, ' +
  'schema_version, create_before_destroy, sensitive_attributes, attributes, hash';
const COPY = `COPY instances (${COLUMNS}) FROM STDIN (FORMAT binary)`;
/** Tuples of one COPY. */
const COPY_BYTES = 4 * 1024 * 1024;

/** Writes the rows of `instances` as the batches bring them: stale ones deleted, new ones copied. */
@Injectable()
export class InstanceRows {
  constructor(private readonly work: UnitOfWork) {}

  /**
   * All batches; nothing of the state may be in the table. Each COPY is sent as a whole before the next batch is asked
   * for: a batch may be read from the database on this very connection.
   */
  async copyAll(batches: AsyncIterable<InstanceBatch>, each: (batch: InstanceBatch) => void): Promise<void> {
    let tuples: Buffer[] = [];
    let size = 0;
    let sending: Promise<void> = Promise.resolve();
    const send = async (): Promise<void> => {
      await sending;
      sending = this.copy(tuples);
      // It is awaited before the next one; until then a failure must not count as unhandled.
      sending.catch(() => undefined);
      tuples = [];
      size = 0;
    };
    try {
      for await (const batch of batches) {
        each(batch);
        tuples.push(batch.copy);
        size += batch.copy.length;
        if (size >= COPY_BYTES) await send();
      }
      await send();
    } finally {
      await sending;
    }
  }

  async replace(stateId: string, batch: InstanceBatch): Promise<void> {
    const stale = [...batch.removed, ...batch.changed.map((change) => change.before)].map((meta) => meta.key);
    if (stale.length > 0)
      await this.work.query('DELETE FROM instances WHERE state_id = $1 AND key = ANY($2::uuid[])', [
        stateId,
        stale,
      ]);
    await this.copy([batch.copy]);
  }

  private async copy(tuples: readonly Buffer[]): Promise<void> {
    if (tuples.some((part) => part.length > 0)) await this.work.copyTuples(COPY, tuples);
  }
}
