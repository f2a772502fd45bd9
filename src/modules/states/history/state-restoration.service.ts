import { Injectable } from '@nestjs/common';
import { Secrets } from '../../../platform/crypto/secrets.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import { Administration, type Principal } from '../../access/index.js';
import { Audit } from '../../audit/index.js';
import { ChunkSource } from '../publishing/chunk-source.js';
import { DocumentChunks } from '../chunks/document-chunks.store.js';
import { DocumentMerger } from '../merging/document-merger.service.js';
import { StateVersionsService } from './state-versions.service.js';
import type { WriteOutcome } from '../writing/state-write.js';
import { AcceptedVersions } from '../writing/accepted-versions.service.js';

/** Going back to an older version of a state. */
@Injectable()
export class StateRestoration {
  constructor(
    private readonly work: UnitOfWork,
    private readonly secrets: Secrets,
    private readonly versions: StateVersionsService,
    private readonly chunks: DocumentChunks,
    private readonly merger: DocumentMerger,
    private readonly accepted: AcceptedVersions,
    private readonly administration: Administration,
    private readonly audit: Audit,
  ) {}

  /** Rolls forward: the old content as a new version with the next serial, so that the next apply works. */
  async restore(caller: Principal, stateId: string, serial: string): Promise<WriteOutcome> {
    return this.work.run(async () => {
      const state = await this.accepted.lockState(stateId);
      const place = { tenantId: state.tenantId, stateId: state.id };
      await this.administration.confirmCapability(caller, 'admin', place);
      const version = await this.versions.find(stateId, serial);
      const restored = await this.merger.restore(state, version);
      await this.chunks.insertRows(stateId, [...restored.fresh.values()]);
      const owner = { stateId, tenantId: state.tenantId };
      const source = new ChunkSource(this.chunks, owner, undefined, restored.fresh);
      const by = { txId: this.secrets.uuid(), runId: this.secrets.uuid(), userId: caller.userId };
      const attempt = { state, next: restored.document, source, by };
      const outcome = await this.accepted.accept(attempt, { origin: 'restore' });
      const data = { from_serial: version.serial, serial: outcome.serial };
      await this.audit.record({
        actor: caller,
        action: 'state.restore',
        objectType: 'state',
        objectId: stateId,
        tenantId: state.tenantId,
        data,
      });
      return outcome;
    });
  }
}
