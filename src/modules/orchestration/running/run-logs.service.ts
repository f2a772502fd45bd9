import { Readable } from 'node:stream';
import { Injectable, StreamableFile } from '@nestjs/common';
import { RunRecords } from '../records/run-records.service.js';
import { RunLog } from '../runs/run-log.store.js';

const BEGIN = Buffer.from('{"chunks":[');
const SEPARATOR = Buffer.from(',');

/** The live log of a run, page by page. */
@Injectable()
export class RunLogs {
  constructor(
    private readonly records: RunRecords,
    private readonly log: RunLog,
  ) {}

  /** A `RunLogView`. */
  async after(installationId: string, id: string, seq: number): Promise<StreamableFile> {
    // The state is read first: what ended before the chunks were read has no further ones.
    const run = await this.records.workManifest(installationId, id);
    const { chunks, hasMore } = await this.log.after(run.id, seq);
    const done = (run.state === 'completed' || run.state === 'aborted') && !hasMore;
    const separated = chunks.flatMap((chunk, n) => (n === 0 ? [chunk] : [SEPARATOR, chunk]));
    const parts = [BEGIN, ...separated, Buffer.from(`],"done":${done}}`)];
    return new StreamableFile(Readable.from(parts), {
      type: 'application/json; charset=utf-8',
      length: parts.reduce((bytes, part) => bytes + part.length, 0),
    });
  }
}
