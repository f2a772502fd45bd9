import { Injectable, Logger } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import { defineJob, HandlesJob, type JobRun } from '../../../platform/queue/index.js';
import { ClientBases } from '../writing/client-bases.store.js';
import { DocumentChunks } from '../chunks/document-chunks.store.js';
import { StateEntity } from '../entities/state.entity.js';
import { stateByState } from '../editing/state-by-state.js';

const HOUR_MS = 3_600_000;

/** Hourly: old versions and submissions go as configured, with the chunks that only they named and most of their change log. */
export const PruneHistoryJob = defineJob('prune-state-history', {
  everyMs: HOUR_MS,
  attempts: 1,
  concurrency: 1,
});

/**
 * `u`, a submission of `s`, when $1 versions are kept, or $2 days. One may say what a refused write did to real
 * infrastructure: by number none goes within a week. What a client's next write is compared with stays.
 */
const OUTLIVED = `(($1 > 0 AND u.created_at < now() - interval '7 days'
      AND u.created_at < (SELECT min(created_at) FROM state_versions v WHERE v.state_id = s.id AND v.version > s.version - $1))
    OR ($2 > 0 AND u.created_at < now() - make_interval(days => $2)))
  AND NOT EXISTS (SELECT FROM state_bases b WHERE b.state_id = s.id AND u.id IN (b.document_submission, b.base_submission))`;

/**
 * Of the changes before all that is kept, and before all that a client stands on, the last one of each key, and the last
 * one before it that came from another transaction: so much tells any transaction, however old its base, whether somebody
 * else changed the key since.
 */
const COMPACT_CHANGES = `WITH past AS (SELECT key, version, tx_id FROM state_changes WHERE state_id = $1 AND version <= least(
        (SELECT min(version) FROM state_versions WHERE state_id = $1), (SELECT min(seen_version) FROM state_bases WHERE state_id = $1))),
    newest AS (SELECT DISTINCT ON (key) key, version, tx_id FROM past ORDER BY key, version DESC),
    other AS (SELECT DISTINCT ON (p.key) p.key, p.version FROM past p JOIN newest n USING (key) WHERE p.tx_id <> n.tx_id ORDER BY p.key, p.version DESC)
  DELETE FROM state_changes c USING past p JOIN newest n USING (key) LEFT JOIN other o USING (key)
  WHERE c.state_id = $1 AND c.version = p.version AND c.key = p.key AND p.version <> n.version AND p.version IS DISTINCT FROM o.version`;

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
          OR EXISTS (SELECT FROM state_submissions u WHERE u.state_id = s.id AND ${OUTLIVED}) ORDER BY s.id`,
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
    await this.work.query(
      `DELETE FROM state_submissions u USING states s WHERE s.id = $3 AND u.state_id = s.id AND ${OUTLIVED}`,
      [keep, days, stateId],
    );
    await this.chunks.collect(stateId);
    await this.work.query(COMPACT_CHANGES, [stateId]);
  }
}
