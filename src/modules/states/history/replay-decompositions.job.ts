import { Injectable, Logger } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { defineJob, HandlesJob, type JobRun } from '../../../platform/queue/index.js';
import { unpackHashes } from '../chunks/chunk-list.js';
import { ChunkSource } from '../publishing/chunk-source.js';
import { DocumentAssembly } from '../merging/document-assembly.js';
import { DocumentChunks } from '../chunks/document-chunks.store.js';
import { GRAPH_FORMAT, StateEntity } from '../entities/state.entity.js';
import { stateByState } from '../editing/state-by-state.js';
import { StoredDocuments } from '../chunks/stored-documents.store.js';
import { VersionPublisher } from '../publishing/version-publisher.js';

const MINUTE_MS = 60_000;

/** Every minute: states whose rows were made by an older form of the graph are decomposed again. */
export const ReplayDecompositionsJob = defineJob('replay-decompositions', {
  everyMs: MINUTE_MS,
  attempts: 1,
  concurrency: 1,
});

/** The stored document is the truth; every row made of it can be made again. */
@Injectable()
export class DecompositionReplay {
  private readonly logger = new Logger('DecompositionReplay');

  constructor(
    private readonly work: UnitOfWork,
    private readonly chunks: DocumentChunks,
    private readonly documents: StoredDocuments,
    private readonly assembly: DocumentAssembly,
    private readonly publisher: VersionPublisher,
  ) {}

  @HandlesJob(ReplayDecompositionsJob)
  async replayAll(_payload: object, _run: JobRun): Promise<void> {
    const outdated = await this.work.query<{ id: string }>(
      'SELECT id FROM states WHERE version > 0 AND graph_error IS NULL AND graph_format < $1 ORDER BY id',
      [GRAPH_FORMAT],
    );
    const ids = outdated.map(({ id }) => id);
    await stateByState(ids, this.logger, (id) => this.work.run(() => this.replay(id)));
  }

  private async replay(stateId: string): Promise<void> {
    const state = await this.work.manager.findOne(StateEntity, {
      where: { id: stateId },
      lock: { mode: 'for_no_key_update' },
    });
    if (!state || state.graphError !== null || state.graphFormat >= GRAPH_FORMAT) return;
    const version = await this.documents.version(state.id, state.version);
    if (!version) return;
    const hashes = unpackHashes(version.chunks);
    const frame = await this.assembly.frameBytes(state.id, hashes);
    const document = await this.assembly.describe(state.id, hashes, new Map(), frame);
    const source = new ChunkSource(this.chunks, { stateId: state.id, tenantId: state.tenantId }, undefined);
    const graphError = await this.publisher.replay(state, document, source);
    await this.work.manager.update(StateEntity, state.id, {
      graphError: graphError ?? null,
      graphFormat: GRAPH_FORMAT,
    });
  }
}
