import { createHash } from 'node:crypto';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { SealedColumns, Sealing } from '../../../platform/crypto/index.js';
import { Secrets } from '../../../platform/crypto/secrets.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import { PlanFileEntity, PlanFilePartEntity } from '../entities/run-artifact.entities.js';
import { WorkManifestEntity } from '../entities/work-manifest.entity.js';
import { orchestrationErrors } from '../orchestration.errors.js';

export const MAX_PLAN_FILE_BYTES = 256 * 1024 * 1024;
const PART_BYTES = 4 * 1024 * 1024;
const PLACE = { table: 'plan_file_parts', column: 'part' };

export interface PlanFile {
  size: number;
  sha256: Buffer;
  parts: AsyncGenerator<Buffer>;
}

interface Upload {
  workManifestId: string;
  position: number;
  uploadId: string;
}
type PublishedFile = Pick<PlanFileEntity, 'size' | 'sha256'>;

const APPLIES = `
  SELECT FROM work_manifest_dirspaces a JOIN work_manifests am ON am.id = a.work_manifest_id
   WHERE a.repository_id = $1 AND a.pull_number = $2 AND a.plan_from = m.id AND a.dir = d.dir AND a.workspace = d.workspace`;

const UNNEEDED = `EXISTS (
  SELECT FROM work_manifests m JOIN work_manifest_dirspaces d ON d.work_manifest_id = m.id AND d.position = f.position
   WHERE m.id = f.work_manifest_id AND m.repository_id = $1 AND m.pull_number = $2 AND m.state IN ('completed', 'aborted')
     AND NOT EXISTS (${APPLIES} AND am.state IN ('queued', 'running'))
     AND (m.run_type = 'apply' OR d.retired_at IS NOT NULL
       OR (m.state = 'aborted' OR (d.success AND d.has_changes AND NOT m.hooks_failed) IS NOT TRUE)
       OR EXISTS (${APPLIES} AND am.started_at IS NOT NULL)
       OR EXISTS (SELECT FROM work_manifest_dirspaces n JOIN work_manifests nm ON nm.id = n.work_manifest_id
            WHERE n.repository_id = $1 AND n.pull_number = $2 AND n.sha = d.sha AND n.dir = d.dir AND n.workspace = d.workspace
              AND n.run_type = 'plan' AND n.success IS NOT NULL AND nm.state = 'completed'
              AND (n.created_at, n.work_manifest_id) > (d.created_at, d.work_manifest_id))))`;

/** Parts `p` of a run that are not of a published file. */
const UNPUBLISHED = `p.work_manifest_id = $1 AND NOT EXISTS (
  SELECT FROM plan_files f WHERE f.work_manifest_id = p.work_manifest_id AND f.position = p.position
     AND f.upload_id IS NOT DISTINCT FROM p.upload_id)`;

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

  /**
   * Replaces the plan file of a dirspace of a run that is under way. No database transaction waits for bytes: parts are
   * stored one by one, and the last transaction puts the file in the place of the one before. A newer upload of the
   * dirspace ends an older one: `PLAN_FILE_REPLACED`, after which the sender sends it again, because the newer one may
   * have been an earlier attempt of its own that arrived late.
   */
  async store(workManifestId: string, position: number, chunks: AsyncIterable<Buffer>): Promise<void> {
    const uploadId = this.secrets.uuid();
    const upload = { workManifestId, position, uploadId };
    await this.begin(upload);
    try {
      const hash = createHash('sha256');
      let size = 0;
      let seq = 0;
      for await (const part of inParts(chunks)) {
        hash.update(part);
        size += part.length;
        await this.insertPart(upload, seq++, part);
      }
      await this.publish({ ...upload, size: String(size), sha256: hash.digest() });
    } catch (error) {
      // The file may have been published, and only the answer of the database been lost.
      await this.removeLeft(`${UNPUBLISHED} AND p.position = $2 AND p.upload_id = $3`, [
        workManifestId,
        position,
        uploadId,
      ]);
      throw error;
    }
  }

  /** What an upload left that did not end; the run has ended, so that none begins. */
  async removeUnpublished(workManifestId: string): Promise<void> {
    await this.removeLeft(UNPUBLISHED, [workManifestId]);
  }

  private async removeLeft(condition: string, parameters: unknown[]): Promise<void> {
    await this.work.query(`DELETE FROM plan_file_parts p WHERE ${condition}`, parameters);
  }

  private async begin({ workManifestId, position, uploadId }: Upload): Promise<void> {
    await this.work.run(async () => {
      // Whoever publishes meanwhile is waited for: its parts are not those of an upload that was left.
      await this.lockRun(workManifestId);
      const begun = await this.work.query(
        `UPDATE work_manifest_dirspaces d SET plan_upload_id = $3 FROM work_manifests m
          WHERE d.work_manifest_id = $1 AND d.position = $2 AND m.id = $1 AND m.state = 'running' RETURNING 1`,
        [workManifestId, position, uploadId],
      );
      if (begun.length === 0) throw orchestrationErrors.RUN_ENDED();
      await this.removeLeft(`${UNPUBLISHED} AND p.position = $2`, [workManifestId, position]);
    });
  }

  private async insertPart(
    { workManifestId, position, uploadId }: Upload,
    seq: number,
    part: Buffer,
  ): Promise<void> {
    const id = this.secrets.uuid();
    const inserted = await this.work.query(
      `INSERT INTO plan_file_parts (id, work_manifest_id, position, seq, upload_id, part)
       SELECT $1, d.work_manifest_id, d.position, $4, d.plan_upload_id, $6
         FROM work_manifest_dirspaces d JOIN work_manifests m ON m.id = d.work_manifest_id
        WHERE d.work_manifest_id = $2 AND d.position = $3 AND d.plan_upload_id = $5 AND m.state = 'running' RETURNING 1`,
      [id, workManifestId, position, seq, uploadId, this.sealing.seal(part, { ...PLACE, row: id })],
    );
    if (inserted.length === 0) await this.refuse(workManifestId);
  }

  /** The run is locked: what is published before its results were reported is what people read of it. */
  private async publish({
    workManifestId,
    position,
    uploadId,
    ...file
  }: Upload & PublishedFile): Promise<void> {
    await this.work.run(async () => {
      await this.lockRun(workManifestId);
      const current = await this.work.query(
        `SELECT FROM work_manifest_dirspaces d JOIN work_manifests m ON m.id = d.work_manifest_id
          WHERE d.work_manifest_id = $1 AND d.position = $2 AND d.plan_upload_id = $3 AND m.state = 'running'`,
        [workManifestId, position, uploadId],
      );
      if (current.length === 0) await this.refuse(workManifestId);
      await this.work.manager.delete(PlanFileEntity, { workManifestId, position });
      await this.work.query(
        `DELETE FROM plan_file_parts
          WHERE work_manifest_id = $1 AND position = $2 AND upload_id IS DISTINCT FROM $3`,
        [workManifestId, position, uploadId],
      );
      await this.work.manager.insert(PlanFileEntity, { workManifestId, position, uploadId, ...file });
    });
  }

  private async lockRun(workManifestId: string): Promise<void> {
    await this.work.query('SELECT FROM work_manifests WHERE id = $1 FOR UPDATE', [workManifestId]);
  }

  private async refuse(workManifestId: string): Promise<never> {
    const isRunning = await this.work.manager.existsBy(WorkManifestEntity, {
      id: workManifestId,
      state: 'running',
    });
    throw isRunning ? orchestrationErrors.PLAN_FILE_REPLACED() : orchestrationErrors.RUN_ENDED();
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

  /**
   * Of a pull request, what nobody applies any more: used by an apply that has ended, replaced by a newer plan, retired,
   * without changes, or planned and applied in one run. What an apply under way downloads stays. Call it with the pull
   * request locked: no apply is created meanwhile.
   */
  async removeUnneeded(repositoryId: string, pullNumber: number): Promise<void> {
    await this.removeWhere(UNNEEDED, [repositoryId, pullNumber]);
  }

  /** Of a run whose plans nobody applies later: one that looked for drift, or reconciled it. */
  async removeOf(workManifestId: string): Promise<void> {
    await this.removeWhere('f.work_manifest_id = $1', [workManifestId]);
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

  private async *parts({ workManifestId, position, uploadId }: PlanFileEntity): AsyncGenerator<Buffer> {
    const rows = await this.work.manager.find(PlanFilePartEntity, {
      select: { id: true, seq: true },
      where: { workManifestId, position, uploadId: uploadId ?? IsNull() },
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
