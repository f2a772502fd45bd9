import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { storableText } from '../../../platform/database/storable-text.js';
import { Clock } from '../../../platform/time/clock.js';
import { RunLogChunkEntity } from '../entities/run-artifact.entities.js';

export interface LogChunk {
  seq: number;
  dir?: string | undefined;
  workspace?: string | undefined;
  text: string;
}

export interface LogPage {
  chunks: RunLogChunkEntity[];
  /** further chunks are stored behind them */
  hasMore: boolean;
}

const MAX_PAGE_CHUNKS = 200;
/** A page is held in memory once for each of its readers; a single chunk may be larger. */
const MAX_PAGE_BYTES = 256 * 1024;

const PAGE = {
  name: 'run_log_page',
  text: `
  SELECT seq, at, dir, workspace, text, known > position AS has_more FROM (
    SELECT *, row_number() OVER (ORDER BY seq) AS position, count(*) OVER () AS known,
           sum(octet_length(text)) OVER (ORDER BY seq) AS bytes
      FROM (SELECT * FROM run_log_chunks WHERE work_manifest_id = $1 AND seq > $2
             ORDER BY seq LIMIT ${MAX_PAGE_CHUNKS + 1}) first
  ) sized WHERE position = 1 OR position <= ${MAX_PAGE_CHUNKS} AND bytes <= ${MAX_PAGE_BYTES} ORDER BY seq`,
};

/** The live log of a run. A chunk whose number is known is ignored. */
@Injectable()
export class RunLog {
  constructor(
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  async append(workManifestId: string, chunks: readonly LogChunk[]): Promise<void> {
    if (chunks.length === 0) return;
    const at = this.clock.now();
    await this.work.manager
      .createQueryBuilder()
      .insert()
      .into(RunLogChunkEntity)
      .values(
        chunks.map(({ seq, dir, workspace, text }) => ({
          workManifestId,
          seq,
          at,
          dir: dir ?? null,
          workspace: workspace ?? null,
          text: storableText(text),
        })),
      )
      .orIgnore()
      .execute();
  }

  async after(workManifestId: string, seq: number): Promise<LogPage> {
    const chunks = await this.work.prepared<RunLogChunkEntity & { has_more: boolean }>(PAGE, [
      workManifestId,
      seq,
    ]);
    return { chunks, hasMore: chunks.at(-1)?.has_more ?? false };
  }
}
