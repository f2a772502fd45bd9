import type { AppError } from '../../../platform/errors/index.js';
import type { DocumentBody } from '../chunks/document-intake.js';
import type { VersionOrigin } from '../entities/state-version.entity.js';
import type { StateEntity } from '../entities/state.entity.js';
import type { NewState } from '../state-groups.store.js';
import type { ClientRun } from './client-run.js';

/** A document that a client sends into a state that exists, or that the document creates. Functions are called after the body has been read. */
export interface StateWrite {
  state: ExistingState | { tenantId: string; create: () => NewState };
  /** finds the state that another request created during the upload; without it such a write is refused */
  createdMeanwhile?: () => Promise<ExistingState>;
  body: DocumentBody;
  run: ClientRun;
  userId: string;
  origin: VersionOrigin;
  /** JSON text of free metadata of the transaction */
  tags?: () => string | undefined;
  /** store the document whatever the current one says; the caller is an administrator */
  force: boolean;
  /** records the outcome, in the database transaction that stores or refuses the document */
  recordOutcome?: (written: WriteOutcome | Refusal) => Promise<void>;
}

type ExistingState = { id: string; tenantId: string };

export interface WriteOutcome {
  stateId: string;
  tenantId: string;
  version: number;
  serial: number;
  result: 'stored' | 'merged' | 'unchanged';
  txId: string;
}

/** The document was refused, and stored as a submission. */
export interface Refusal {
  stateId: string;
  tenantId: string;
  refusal: AppError;
}

export function outcomeOf(
  state: Pick<StateEntity, 'id' | 'tenantId' | 'version' | 'serial'>,
  result: WriteOutcome['result'],
  txId: string,
): WriteOutcome {
  return {
    stateId: state.id,
    tenantId: state.tenantId,
    version: state.version,
    serial: state.serial,
    result,
    txId,
  };
}
