import { createHash } from 'node:crypto';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { SealedColumns, Sealing } from '../../../platform/crypto/index.js';
import { Secrets } from '../../../platform/crypto/secrets.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import { PlanFileEntity, PlanFilePartEntity } from '../entities/run-artifact.entities.js';

export const MAX_PLAN_FILE_BYTES = 256 * 1024 * 1024;
const PART_BYTES = 4 * 1024 * 1024;
const PLACE = { table: 'plan_file_parts', column: 'part' };

export interface PlanFile {
  size: number;
  sha256: Buffer;
  parts: AsyncGenerator<Buffer>;
}

/** Plan files, sealed in parts, so that neither a row nor a process holds more than one part. */
@Injectable()
export class PlanFiles implements OnModuleInit {
  private readonly logger = new Logger('PlanFiles');

  constructor(
    private readonly work: UnitOfWork,
    private readonly sealing: Sealing,
    private readonly secrets: Secrets,
    private readonly columns: SealedColumns,
  ) {}

  onModuleInit(): void {
    this.columns.add({ ...PLACE, key: 'id' });
  }

  /** Replaces the plan file of a dirspace of a run. */
  async store(workManifestId: string, position: number, chunks: AsyncIterable<Buffer>): Promise<void> {
    await this.work.run(async () => {
      await this.work.manager.delete(PlanFilePartEntity, { workManifestId, position });
      await this.work.manager.delete(PlanFileEntity, { workManifestId, position });
      const hash = createHash('sha256');
      let size = 0;
      let seq = 0;
      for await (const part of inParts(chunks)) {
        hash.update(part);
        size += part.length;
        const id = this.secrets.uuid();
        const sealed = this.sealing.seal(part, { ...PLACE, row: id });
        await this.work.manager.insert(PlanFilePartEntity, {
          id,
          workManifestId,
          position,
          seq: seq++,
          part: sealed,
        });
      }
      await this.work.manager.insert(PlanFileEntity, {
        workManifestId,
        position,
        size: String(size),
        sha256: hash.digest(),
      });
    });
  }

  async positions(workManifestId: string): Promise<Set<number>> {
    const rows = await this.work.manager.findBy(PlanFileEntity, { workManifestId });
    return new Set(rows.map(({ position }) => position));
  }

  /** Undefined when there is none, or when its bytes do not have its checksum: nobody applies a part of a plan. */
  async read(workManifestId: string, position: number): Promise<PlanFile | undefined> {
    const file = await this.work.manager.findOneBy(PlanFileEntity, { workManifestId, position });
    if (!file) return undefined;
    const hash = createHash('sha256');
    for await (const part of this.parts(file)) hash.update(part);
    if (!hash.digest().equals(file.sha256)) {
      this.logger.error({ msg: 'plan file does not match its checksum', workManifestId, position });
      return undefined;
    }
    return { size: Number(file.size), sha256: file.sha256, parts: this.parts(file) };
  }

  /** Those that an apply used. The plans of other directories, which the same run made, stay. */
  async removeUsedBy(applyId: string): Promise<void> {
    await this.removeWhere(
      `EXISTS (SELECT FROM work_manifest_dirspaces a
                 JOIN work_manifest_dirspaces p ON p.work_manifest_id = a.plan_from AND p.dir = a.dir AND p.workspace = a.workspace
                WHERE a.work_manifest_id = $1 AND p.work_manifest_id = f.work_manifest_id AND p.position = f.position)`,
      [applyId],
    );
  }

  /** Of each plan file the row and the parts, together. `f`: the plan file. */
  private async removeWhere(condition: string, parameters: unknown[]): Promise<void> {
    await this.work.query(
      `WITH removed AS (DELETE FROM plan_files f WHERE ${condition} RETURNING f.work_manifest_id, f.position)
       DELETE FROM plan_file_parts p USING removed r
        WHERE p.work_manifest_id = r.work_manifest_id AND p.position = r.position`,
      parameters,
    );
  }

  private async *parts({ workManifestId, position }: PlanFileEntity): AsyncGenerator<Buffer> {
    const rows = await this.work.manager.find(PlanFilePartEntity, {
      select: { id: true, seq: true },
      where: { workManifestId, position },
      order: { seq: 'ASC' },
    });
    for (const { id } of rows) {
      const row = await this.work.manager.findOneByOrFail(PlanFilePartEntity, { id });
      yield this.sealing.open(row.part, { ...PLACE, row: id });
    }
  }
}

async function* inParts(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    waiting.push(chunk);
    size += chunk.length;
    if (size < PART_BYTES) continue;
    yield Buffer.concat(waiting);
    waiting = [];
    size = 0;
  }
  if (size > 0) yield Buffer.concat(waiting);
}
