import { Injectable } from '@nestjs/common';
import { Secrets } from '../../../platform/crypto/secrets.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import { httpErrors } from '../../../platform/errors/index.js';
import { Administration, type Principal } from '../../access/index.js';
import { Audit } from '../../audit/index.js';
import { unpackHashes } from '../chunks/chunk-list.js';
import { DocumentAssembly } from '../merging/document-assembly.js';
import type { StateSubmissionEntity } from '../entities/state-submission.entity.js';
import type { StateEntity } from '../entities/state.entity.js';
import type { WriteOutcome } from '../writing/state-write.js';
import { AcceptedVersions } from '../writing/accepted-versions.service.js';
import { WriteMerges } from '../writing/write-merges.service.js';
import { stateErrors } from '../states.errors.js';
import { PreparedDocument, StoredDocuments } from '../chunks/stored-documents.store.js';
import type { FrameRows } from '../publishing/version-publisher.js';

/** Takes in a document that was refused, as if it came now from a writer whose base is known. */
@Injectable()
export class SubmissionAcceptance {
  constructor(
    private readonly work: UnitOfWork,
    private readonly secrets: Secrets,
    private readonly documents: StoredDocuments,
    private readonly assembly: DocumentAssembly,
    private readonly versions: AcceptedVersions,
    private readonly merges: WriteMerges,
    private readonly administration: Administration,
    private readonly audit: Audit,
  ) {}

  /** @param baseVersion the version that its writer started from; the one that is known of it when left out */
  async accept(
    caller: Principal,
    stateId: string,
    submissionId: string,
    baseVersion: number | undefined,
  ): Promise<WriteOutcome> {
    return this.work.run(async () => {
      const state = await this.versions.lockState(stateId);
      const place = { tenantId: state.tenantId, stateId: state.id };
      await this.administration.confirmCapability(caller, 'commit', place);
      const submission = await this.documents.submission(stateId, submissionId);
      if (!submission) throw stateErrors.SUBMISSION_NOT_FOUND();
      if (submission.status === 'merged') return this.acceptedBefore(state, submission);
      if (submission.lineage !== state.lineage) throw stateErrors.LINEAGE_MISMATCH();
      const version = await this.baseOf(state, submission, baseVersion);
      const next = await this.documentOf(submission);
      const by = { txId: this.secrets.uuid(), runId: submission.runId, userId: caller.userId };
      const outcome = await this.merges.mergeStored({ state, next, by }, version);
      await this.documents.markMerged(stateId, submissionId, outcome.version);
      await this.audit.record({
        actor: caller,
        action: 'state.accept',
        objectType: 'state',
        objectId: stateId,
        tenantId: state.tenantId,
        data: { submission_id: submissionId, base_version: version, serial: outcome.serial },
      });
      return outcome;
    });
  }

  private async acceptedBefore(
    state: StateEntity,
    { resultingVersion, txId }: StateSubmissionEntity,
  ): Promise<WriteOutcome> {
    const version = await this.documents.version(state.id, resultingVersion ?? state.version);
    return {
      stateId: state.id,
      tenantId: state.tenantId,
      version: resultingVersion ?? state.version,
      serial: version?.serial ?? state.serial,
      result: 'unchanged',
      txId: version?.txId ?? txId,
    };
  }

  private async baseOf(
    state: StateEntity,
    submission: StateSubmissionEntity,
    given: number | undefined,
  ): Promise<number> {
    const version = given ?? submission.baseVersion;
    if (version === null)
      throw httpErrors.INVALID_REQUEST(
        'the base of this submission is unknown; set base_version to the version that its writer started from',
      );
    const isStored = version === 0 || (await this.documents.version(state.id, version)) !== null;
    if (!isStored) throw stateErrors.VERSION_NOT_FOUND();
    return version;
  }

  private async documentOf(submission: StateSubmissionEntity): Promise<PreparedDocument & FrameRows> {
    const hashes = unpackHashes(submission.chunks);
    const frame = await this.assembly.frameBytes(submission.stateId, hashes);
    const described = await this.assembly.describe(submission.stateId, hashes, new Map(), frame);
    return { ...described, md5: submission.md5 ?? undefined };
  }
}
