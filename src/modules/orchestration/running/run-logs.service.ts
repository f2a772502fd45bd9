import { Injectable } from '@nestjs/common';
import type { RunLogView } from '../dto/runner.dto.js';
import { RunRecords } from '../records/run-records.service.js';
import { RunLog } from '../runs/run-log.store.js';

/** The live log of a run, page by page. */
@Injectable()
export class RunLogs {
  constructor(
    private readonly records: RunRecords,
    private readonly log: RunLog,
  ) {}

  async after(installationId: string, id: string, seq: number): Promise<RunLogView> {
    // The state is read first: what ended before the chunks were read has no further ones.
    const run = await this.records.workManifest(installationId, id);
    const { chunks, hasMore } = await this.log.after(run.id, seq);
    return {
      chunks: chunks.map((chunk) => ({
        seq: chunk.seq,
        at: chunk.at.toISOString(),
        ...(chunk.dir === null ? {} : { dir: chunk.dir }),
        ...(chunk.workspace === null ? {} : { workspace: chunk.workspace }),
        text: chunk.text,
      })),
      done: (run.state === 'completed' || run.state === 'aborted') && !hasMore,
    };
  }
}
