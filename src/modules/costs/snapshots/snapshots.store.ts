import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { CostSnapshotEntity, CostStateEntity } from '../entities/cost.entities.js';
import { OPEN } from './items.store.js';

/** Tables `cost_states` and `cost_snapshots`. */
@Injectable()
export class Snapshots {
  constructor(private readonly work: UnitOfWork) {}

  /** To the end of the transaction nobody else prices the state. Undefined when the state is gone. */
  async lock(stateId: string): Promise<CostStateEntity | undefined> {
    // The state before its row here, as a deletion takes them: the other way round the two could wait for each other.
    await this.work.query('SELECT 1 FROM states WHERE id = $1 FOR KEY SHARE', [stateId]);
    await this.work.query(
      `INSERT INTO cost_states (state_id, tenant_id, priced_version, basis, usage, seq)
       SELECT id, tenant_id, -1, '', '', 0 FROM states WHERE id = $1 ON CONFLICT (state_id) DO NOTHING`,
      [stateId],
    );
    const row = await this.work.manager.findOne(CostStateEntity, {
      where: { stateId },
      lock: { mode: 'pessimistic_write' },
    });
    return row ?? undefined;
  }

  async insert(snapshot: CostSnapshotEntity): Promise<void> {
    await this.work.manager.insert(CostSnapshotEntity, snapshot);
  }

  async saveProgress(progress: CostStateEntity): Promise<void> {
    await this.work.manager.update(CostStateEntity, { stateId: progress.stateId }, progress);
  }

  async find(id: string): Promise<CostSnapshotEntity | null> {
    return this.work.manager.findOneBy(CostSnapshotEntity, { id });
  }

  async progress(stateId: string): Promise<CostStateEntity | null> {
    return this.work.manager.findOneBy(CostStateEntity, { stateId });
  }

  /** The newest snapshot of a state. */
  async latest(stateId: string): Promise<CostSnapshotEntity | undefined> {
    const progress = await this.progress(stateId);
    if (progress === null || progress.snapshotId === null) return undefined;
    return (await this.find(progress.snapshotId)) ?? undefined;
  }

  /** Of older ones only the last of a state and day stays (UTC), with the items that a snapshot still has. */
  async thin(before: Date): Promise<void> {
    const rows = await this.work.query<{ state_id: string }>(
      `WITH gone AS (DELETE FROM cost_snapshots s WHERE s.kind = 'current' AND s.calculated_at < $1
           AND EXISTS (SELECT FROM cost_snapshots n WHERE n.state_id = s.state_id AND n.kind = 'current' AND n.seq > s.seq
             AND (n.calculated_at AT TIME ZONE 'UTC')::date = (s.calculated_at AT TIME ZONE 'UTC')::date) RETURNING s.state_id)
       SELECT DISTINCT state_id FROM gone`,
      [before],
    );
    for (const { state_id: stateId } of rows)
      await this.work.query(
        `DELETE FROM cost_items i WHERE i.state_id = $1 AND i.until_seq < ${OPEN} AND NOT EXISTS (
           SELECT FROM cost_snapshots s WHERE s.state_id = $1 AND s.seq >= i.from_seq AND s.seq < i.until_seq)`,
        [stateId],
      );
  }
}
