import { Readable } from 'node:stream';
import { Injectable, StreamableFile } from '@nestjs/common';
import { httpErrors } from '../../../platform/errors/index.js';
import type { Response } from 'express';
import type { WorkManifestEntity } from '../entities/work-manifest.entity.js';
import { orchestrationErrors } from '../orchestration.errors.js';
import { MAX_PLAN_FILE_BYTES, PlanFiles } from '../runs/plan-files.store.js';
import { RunWork } from './run-work.js';

/** Plan files on their way between runners and the store. */
@Injectable()
export class RunnerPlanFiles {
  constructor(
    private readonly planFiles: PlanFiles,
    private readonly work: RunWork,
  ) {}

  async store(run: WorkManifestEntity, n: number, body: AsyncIterable<Buffer>): Promise<void> {
    if (n < 0 || n >= (run.spec?.dirspaces.length ?? 0))
      throw httpErrors.INVALID_REQUEST('n must be the number of a dirspace of the run');
    await this.planFiles.store(run.id, n, bounded(body));
  }

  /** With the checksum in a header, which the runner compares with what it has received. */
  async read(run: WorkManifestEntity, n: number, response: Response): Promise<StreamableFile> {
    const found = await this.work.planOf(run, n);
    if (!found) throw orchestrationErrors.PLAN_FILE_NOT_FOUND();
    response.setHeader('Repr-Digest', `sha-256=:${found.sha256.toString('base64')}:`);
    return new StreamableFile(Readable.from(found.parts), {
      type: 'application/octet-stream',
      length: found.size,
    });
  }
}

async function* bounded(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MAX_PLAN_FILE_BYTES)
      throw httpErrors.PAYLOAD_TOO_LARGE(`a plan file must not exceed ${MAX_PLAN_FILE_BYTES} bytes`);
    yield chunk;
  }
}
