import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import {
  member,
  minifiedJson,
  parseRaw,
  pathsOf,
  printRaw,
  withoutBackendSecrets,
} from '../../documents/index.js';
import { attributeChanges } from './attribute-difference.rules.js';
import { difference } from '../publishing/change-set.js';
import { unpackHashes } from '../chunks/chunk-list.js';
import { ChunkSource } from '../publishing/chunk-source.js';
import { DocumentChunks } from '../chunks/document-chunks.store.js';
import { type DocumentOwner, DocumentReading, ServedDocument } from '../chunks/document-reading.service.js';
import {
  chunkDifference,
  DuplicateInstance,
  EVERYTHING,
  NodeChange,
} from '../publishing/document-difference.rules.js';
import { instanceTexts } from '../publishing/instance-texts.js';
import type {
  ChangedInstanceView,
  SubmissionConflictView,
  SubmissionDiffView,
  VersionDiffView,
} from '../dto/version.dto.js';
import type { StoredDocument } from '../entities/stored-document.js';
import type { StateVersionEntity } from '../entities/state-version.entity.js';
import { stateErrors } from '../states.errors.js';
import { StoredDocuments } from '../chunks/stored-documents.store.js';

/** A version or a submission, as far as comparing needs it. */
type ComparedDocument = Pick<StoredDocument, 'chunks' | 'frame'> & { graphError?: string | null };

/** What a state was before its first write. */
const NO_DOCUMENT = { chunks: Buffer.alloc(0), frame: { outputs: {}, checks: {} } };

/** The history of a state: its versions, and how they differ. */
@Injectable()
export class StateVersionsService {
  constructor(
    private readonly work: UnitOfWork,
    private readonly documents: StoredDocuments,
    private readonly chunks: DocumentChunks,
    private readonly reading: DocumentReading,
  ) {}

  async document(owner: DocumentOwner, serial: string): Promise<ServedDocument> {
    const version = await this.find(owner.stateId, serial);
    return this.reading.stored(owner, version, version.version);
  }

  async submission(owner: DocumentOwner, submissionId: string): Promise<ServedDocument> {
    const submission = await this.documents.submission(owner.stateId, submissionId);
    if (!submission) throw stateErrors.SUBMISSION_NOT_FOUND();
    return this.reading.stored(owner, submission);
  }

  /** @param limit how many changed instances are shown with their attributes, the first by address */
  async difference(
    tenantId: string,
    stateId: string,
    { from, to, limit }: { from: string; to: string; limit: number },
  ): Promise<VersionDiffView> {
    const [before, after] = [await this.find(stateId, from), await this.find(stateId, to)];
    return (await this.compared({ stateId, tenantId }, before, after, limit)).view;
  }

  /** What the writer of a submission changed, and which of it transactions in its way changed as well. */
  async submissionDifference(
    owner: { stateId: string; tenantId: string },
    submissionId: string,
    limit: number,
  ): Promise<SubmissionDiffView> {
    const submission = await this.documents.submission(owner.stateId, submissionId);
    if (!submission) throw stateErrors.SUBMISSION_NOT_FOUND();
    const { baseVersion } = submission;
    const base =
      baseVersion === 0
        ? NO_DOCUMENT
        : baseVersion === null
          ? null
          : await this.documents.version(owner.stateId, baseVersion);
    if (!base) throw stateErrors.VERSION_NOT_FOUND('the version that the writer started from does not exist');
    const { view, changes } = await this.compared(owner, base, submission, limit);
    const mine = new Map(changes.map((change) => [change.key, change]));
    const others = await this.work.query<{ key: string; tx_id: string }>(
      `SELECT DISTINCT key, tx_id FROM state_changes
       WHERE state_id = $1 AND version > $2 AND tx_id = ANY($3::uuid[]) ORDER BY tx_id, key`,
      [owner.stateId, baseVersion, submission.conflictsWith],
    );
    const conflicts = others.flatMap(({ key, tx_id }): SubmissionConflictView[] => {
      if (key === EVERYTHING) return [{ tx_id }];
      const change = mine.get(key);
      if (!change) return [];
      return [
        change.output === undefined ? { address: change.address, tx_id } : { output: change.output, tx_id },
      ];
    });
    return { ...view, conflicts };
  }

  private async compared(
    { stateId, tenantId }: { stateId: string; tenantId: string },
    before: ComparedDocument,
    after: ComparedDocument,
    limit: number,
  ): Promise<{ view: VersionDiffView; changes: NodeChange[] }> {
    const source = new ChunkSource(this.chunks, { stateId, tenantId }, undefined);
    const changes = await this.changesBetween(before, after, source);
    const { gone, come } = chunkDifference(unpackHashes(before.chunks), unpackHashes(after.chunks));
    const changed = changes.filter((change) => change.op === 'c' && change.after).sort(byAddress);
    const more = Math.max(0, changed.length - limit);
    const addresses = (op: NodeChange['op']) =>
      changes
        .filter((change) => change.op === op && (change.before ?? change.after))
        .map((c) => c.address)
        .sort();
    const outputs = (op: NodeChange['op']) =>
      changes
        .flatMap((change) => (change.op === op && change.output !== undefined ? [change.output] : []))
        .sort();
    const view = {
      added: addresses('a'),
      changed: await this.attributesOf(stateId, changed.slice(0, limit), gone, come),
      ...(more === 0 ? {} : { more_changed: more }),
      removed: addresses('r'),
      outputs: { added: outputs('a'), changed: outputs('c'), removed: outputs('r') },
    };
    return { view, changes };
  }

  /** Refused where one of them has no instances that could be told apart. */
  private async changesBetween(
    before: ComparedDocument,
    after: ComparedDocument,
    source: ChunkSource,
  ): Promise<NodeChange[]> {
    const earlier = { hashes: unpackHashes(before.chunks), frame: before.frame };
    const later = { hashes: unpackHashes(after.chunks), frame: after.frame };
    const reason = before.graphError ?? after.graphError ?? null;
    if (reason !== null) throw stateErrors.INVALID_STATE(`a version could not be decomposed: ${reason}`);
    try {
      const changes = await difference(earlier, later, source);
      if (changes) return changes;
    } catch (error) {
      if (!(error instanceof DuplicateInstance)) throw error;
    }
    throw stateErrors.INVALID_STATE('a version could not be decomposed');
  }

  /** By serial, or by `v<version>`: a forced write may repeat a serial, and the newest one answers to it. */
  async find(stateId: string, name: string): Promise<StateVersionEntity> {
    const match = /^(v?)(\d{1,15})$/.exec(name);
    const number = Number(match?.[2]);
    const version =
      match &&
      (await (match[1] === 'v'
        ? this.documents.version(stateId, number)
        : this.documents.bySerial(stateId, number)));
    if (!version) throw stateErrors.VERSION_NOT_FOUND();
    return version;
  }

  private async attributesOf(
    stateId: string,
    changes: readonly NodeChange[],
    gone: readonly string[],
    come: readonly string[],
  ): Promise<ChangedInstanceView[]> {
    const keys = new Set(changes.map((change) => change.key));
    const before = await instanceTexts(this.chunks, stateId, gone, keys);
    const after = await instanceTexts(this.chunks, stateId, come, keys);
    return changes.map(({ key, address, after: node }) => {
      const isRemoteState = node?.mode === 'data' && node.type === 'terraform_remote_state';
      const [left, right] = [
        instanceOf(before.get(key), { isRemoteState }),
        instanceOf(after.get(key), { isRemoteState }),
      ];
      return {
        address,
        attributes: attributeChanges(left.attributes, right.attributes, [
          ...left.sensitive,
          ...right.sensitive,
        ]),
      };
    });
  }
}

function byAddress(a: NodeChange, b: NodeChange): number {
  return a.address === b.address ? 0 : a.address < b.address ? -1 : 1;
}

function instanceOf(
  text: string | undefined,
  { isRemoteState }: { isRemoteState: boolean },
): { attributes: ReturnType<typeof member>; sensitive: ReturnType<typeof pathsOf> } {
  // parseRaw wants minified text, and JSON.stringify(JSON.parse()) would lose digits.
  const tree = parseRaw(minifiedJson(text ?? '{}'));
  const sensitive = member(tree, 'sensitive_attributes');
  const attributes = member(tree, 'attributes') ?? member(tree, 'attributes_flat');
  const paths = pathsOf(sensitive === undefined ? [] : (JSON.parse(printRaw(sensitive)) as unknown));
  if (!isRemoteState || attributes === undefined) return { attributes, sensitive: paths };
  // The secrets of a backend configuration are known ones, and any output may be one, whatever the document says.
  return { attributes: withoutBackendSecrets(attributes), sensitive: [...paths, ['outputs']] };
}
