import { Injectable } from '@nestjs/common';
import { MoreThan } from 'typeorm';
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

export const MAX_PAGE_CHUNKS = 200;

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

  async after(workManifestId: string, seq: number): Promise<RunLogChunkEntity[]> {
    return this.work.manager.find(RunLogChunkEntity, {
      where: { workManifestId, seq: MoreThan(seq) },
      order: { seq: 'ASC' },
      take: MAX_PAGE_CHUNKS,
    });
  }
}
