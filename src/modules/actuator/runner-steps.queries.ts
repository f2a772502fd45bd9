import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../platform/database/index.js';
import { type BundleClaims, transactionErrors } from '../transactions/index.js';
import { actuatorErrors } from './actuator.errors.js';

/** The one state of a transaction whose step waits for a runner. */
interface OwnedStep {
  tenantId: string;
  stateId: string;
}

@Injectable()
export class RunnerSteps {
  constructor(private readonly work: UnitOfWork) {}

  /** Requires that the step waits for this runner, and keeps it so until the database transaction ends. */
  async require({ tx: txId, task: step, kind }: BundleClaims): Promise<OwnedStep> {
    const [tx] = await this.work.query<{ tenant_id: string }>(
      `SELECT t.tenant_id FROM transactions t JOIN tasks k ON k.id = t.task_id
       WHERE t.id = $1 AND t.task_id = $2 AND t.state = $3
         AND ($3 = 'previewing' OR (k.kind = 'noted' AND k.state = 'pending')) FOR SHARE OF t`,
      [txId, step, kind === 'preview' ? 'previewing' : 'committing'],
    );
    if (!tx) throw transactionErrors.TX_NOT_ACTIVE('no step of the transaction waits for this runner');
    const states = await this.work.query<{ state_id: string }>(
      'SELECT state_id FROM transaction_states WHERE tx_id = $1 LIMIT 2',
      [txId],
    );
    const [state, other] = states;
    if (!state || other) throw actuatorErrors.BUNDLE_NEEDS_ONE_STATE();
    return { tenantId: tx.tenant_id, stateId: state.state_id };
  }
}
