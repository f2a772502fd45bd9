import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { storableText } from '../../../platform/database/storable-text.js';
import { requireUuid } from '../../../platform/text/uuid.js';
import { Clock } from '../../../platform/time/clock.js';
import { RunLogChunkEntity } from '../entities/run-artifact.entities.js';

export interface LogChunk {
  seq: number;
  dir?: string | undefined;
  workspace?: string | undefined;
  text: string;
}

export interface LogPage {
  /** JSON of one chunk each, as `LogChunkView` has it */
  chunks: Buffer[];
  /** further chunks are stored behind them */
  hasMore: boolean;
}

const MAX_PAGE_CHUNKS = 200;
/** A page is held in memory once for each of its readers; a single chunk may be larger. */
const MAX_PAGE_BYTES = 256 * 1024;

/**
 * PostgreSQL writes the JSON. As strings, pages of this size fill the large objects of V8's old heap, which only a full
 * collection frees.
 */
function pageStatement(workManifestId: string, seq: number): string {
  return `COPY (
  SELECT known > position AS has_more,
         '{"seq":' || seq || ',"at":"' || to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"'
           || coalesce(',"dir":' || to_json(dir)::text, '') || coalesce(',"workspace":' || to_json(workspace)::text, '')
           || ',"text":' || to_json(text)::text || '}'
    FROM (
    SELECT *, row_number() OVER (ORDER BY seq) AS position, count(*) OVER () AS known,
           sum(octet_length(text)) OVER (ORDER BY seq) AS bytes
      FROM (SELECT * FROM run_log_chunks WHERE work_manifest_id = '${requireUuid(workManifestId)}' AND seq > ${Math.trunc(seq)}
             ORDER BY seq LIMIT ${MAX_PAGE_CHUNKS + 1}) first
  ) sized WHERE position = 1 OR position <= ${MAX_PAGE_CHUNKS} AND bytes <= ${MAX_PAGE_BYTES} ORDER BY seq
) TO STDOUT (FORMAT binary)`;
}

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
    const rows = await this.work.copyRows(pageStatement(workManifestId, seq));
    return { chunks: rows.map(([, chunk]) => chunk as Buffer), hasMore: rows.at(-1)?.[0]?.[0] === 1 };
  }
}
