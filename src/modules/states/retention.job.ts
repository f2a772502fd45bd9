import { Injectable, Logger } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { UnitOfWork } from '../../platform/database/index.js';
import { defineJob, HandlesJob, type JobRun } from '../../platform/queue/index.js';
import { ClientBases } from './client-bases.store.js';
import { DocumentChunks } from './document-chunks.store.js';
import { StateEntity } from './entities/state.entity.js';
import { stateByState } from './state-by-state.js';

const HOUR_MS = 3_600_000;

/** Hourly: old versions and submissions go as configured, with the chunks that only they named. */
export const PruneHistoryJob = defineJob('prune-state-history', {
  everyMs: HOUR_MS,
  attempts: 1,
  concurrency: 1,
});

@Injectable()
export class HistoryRetention {
  private readonly logger = new Logger('HistoryRetention');

  constructor(
    private readonly work: UnitOfWork,
    private readonly config: Config,
    private readonly bases: ClientBases,
    private readonly chunks: DocumentChunks,
  ) {}

  @HandlesJob(PruneHistoryJob)
  async prune(_payload: object, _run: JobRun): Promise<void> {
    await this.bases.forgetOld();
    const keep = this.config.get('SERVICE_STATE_VERSIONS_KEEP');
    const days = this.config.get('SERVICE_STATE_VERSIONS_MAX_AGE_DAYS');
    if (keep === 0 && days === 0) return;
    const stateIds = await this.statesToPrune(keep, days);
    await stateByState(stateIds, this.logger, (id) => this.work.run(() => this.pruneState(id, keep, days)));
  }

  private async statesToPrune(keep: number, days: number): Promise<string[]> {
    const rows = await this.work.query<{ id: string }>(
      `SELECT s.id FROM states s WHERE ($1 > 0 AND (SELECT count(*) FROM state_versions v WHERE v.state_id = s.id) > $1)
          OR ($2 > 0 AND EXISTS (SELECT FROM state_versions v WHERE v.state_id = s.id AND v.version < s.version AND v.created_at < now() - make_interval(days => $2)))
          OR ($2 > 0 AND EXISTS (SELECT FROM state_submissions u WHERE u.state_id = s.id AND u.created_at < now() - make_interval(days => $2))) ORDER BY s.id`,
      [keep, days],
    );
    return rows.map((row) => row.id);
  }

  /** The current version always stays; the row is locked, so that no write relies on a chunk that goes. */
  private async pruneState(stateId: string, keep: number, days: number): Promise<void> {
    const state = await this.work.manager.findOne(StateEntity, {
      where: { id: stateId },
      lock: { mode: 'for_no_key_update' },
    });
    if (!state) return;
    await this.work.query(
      `DELETE FROM state_versions WHERE state_id = $1 AND version < $2
         AND (($3 > 0 AND version <= $2 - $3) OR ($4 > 0 AND created_at < now() - make_interval(days => $4)))`,
      [stateId, state.version, keep, days],
    );
    if (days > 0)
      await this.work.query(
        `DELETE FROM state_submissions WHERE state_id = $1 AND created_at < now() - make_interval(days => $2)`,
        [stateId, days],
      );
    await this.chunks.collect(stateId);
  }
}
