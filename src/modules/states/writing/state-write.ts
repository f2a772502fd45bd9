import type { AppError } from '../../../platform/errors/index.js';
import type { DocumentBody } from '../chunks/document-intake.js';
import type { VersionOrigin } from '../entities/state-version.entity.js';
import type { StateEntity } from '../entities/state.entity.js';
import type { NewState } from '../state-groups.store.js';
import type { ClientRun } from './client-run.js';

/** A document on its way into a state that exists or is to be created by it; what is a function is asked once it was read. */
export interface StateWrite {
  state: ExistingState | { tenantId: string; create: () => NewState };
  /** the state that another request created while the document came; without it the write is refused then */
  createdMeanwhile?: () => Promise<ExistingState>;
  body: DocumentBody;
  run: ClientRun;
  userId: string;
  origin: VersionOrigin;
  /** JSON text of free metadata of the transaction */
  tags?: () => string | undefined;
  /** store whatever the stored state says (the caller is an administrator) */
  force: boolean;
  /** what is to be recorded of it, in the transaction that stores or refuses it */
  noted?: (written: WriteOutcome | Refusal) => Promise<void>;
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

/** The document was kept, as a submission. */
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
