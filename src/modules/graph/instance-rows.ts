import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import { Injectable } from '@nestjs/common';
import { from as copyFrom } from 'pg-copy-streams';
import { UnitOfWork } from '../../platform/database/index.js';
import type { InstanceBatch } from '../states/index.js';

const COLUMNS =
  'state_id, key, tenant_id, address, resource_address, mode, type, name, module, provider, index_key, deposed, status, ' +
  'schema_version, create_before_destroy, sensitive_attributes, attributes, hash';
const SIGNATURE = Buffer.concat([Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1'), Buffer.alloc(8)]);
const TRAILER = Buffer.from([0xff, 0xff]);

/** Writes the rows of `instances` as the batches bring them: stale ones deleted, new ones copied. */
@Injectable()
export class InstanceRows {
  constructor(private readonly work: UnitOfWork) {}

  /** All batches through one COPY; nothing of the state may be in the table. */
  async copyAll(batches: AsyncIterable<InstanceBatch>, each: (batch: InstanceBatch) => void): Promise<void> {
    const stream = (await this.work.client()).query(
      copyFrom(`COPY instances (${COLUMNS}) FROM STDIN (FORMAT binary)`),
    );
    const done = finished(stream);
    done.catch(() => undefined);
    stream.write(SIGNATURE);
    for await (const batch of batches) {
      each(batch);
      if (!stream.write(batch.copy)) await Promise.race([once(stream, 'drain'), done]);
    }
    stream.end(TRAILER);
    await done;
  }

  async replace(stateId: string, batch: InstanceBatch): Promise<void> {
    const stale = [
      ...batch.removed.map((meta) => meta.key),
      ...batch.changed.map((change) => change.before.key),
    ];
    if (stale.length > 0)
      await this.work.query('DELETE FROM instances WHERE state_id = $1 AND key = ANY($2::uuid[])', [
        stateId,
        stale,
      ]);
    if (batch.copy.length === 0) return;
    const stream = (await this.work.client()).query(
      copyFrom(`COPY instances (${COLUMNS}) FROM STDIN (FORMAT binary)`),
    );
    const done = finished(stream);
    stream.end(Buffer.concat([SIGNATURE, batch.copy, TRAILER]));
    await done;
  }
}
