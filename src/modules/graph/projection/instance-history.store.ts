import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';

/** Since when an instance is as it is. What goes is kept by a trigger (migration `instance-history`). */
@Injectable()
export class InstanceHistory {
  constructor(private readonly work: UnitOfWork) {}

  /** Rows written from here to the end of the transaction belong to this version, and rows that go end with it. */
  async begin(version: number): Promise<void> {
    await this.work.query(`SELECT set_config('service.graph_version', $1, true)`, [String(version)]);
  }

  /** After all rows of a state were written anew: those that are as before have not changed. */
  async reopenUnchanged(stateId: string, version: number): Promise<void> {
    await this.work.query(
      `WITH same AS (
         DELETE FROM instance_history h USING instances i
         WHERE h.state_id = $1 AND h.until = $2 AND i.state_id = h.state_id AND i.key = h.key AND i.hash = h.hash
         RETURNING h.key, h.since
       )
       UPDATE instances i SET since = same.since FROM same WHERE i.state_id = $1 AND i.key = same.key`,
      [stateId, version],
    );
  }
}
