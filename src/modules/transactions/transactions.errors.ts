import { defineErrors } from '../../platform/errors/index.js';

export const transactionErrors = defineErrors({
  TX_NOT_FOUND: [404, 'transaction does not exist'],
  TX_NOT_ACTIVE: [409, 'the transaction has ended, or this step of it has'],
  TX_IS_SESSION: [
    409,
    'a session consists of what is written with its token: nothing is logged into it, planned or applied',
  ],
  TX_BUSY: [409, 'a preview or a commit of the transaction is going on'],
  TX_NOT_PREVIEWED: [404, 'the transaction has no plan yet'],
  TX_PLAN_OUTDATED: [409, 'configuration was added after the plan: preview again'],
  TX_HAS_WRITES: [409, 'the transaction has stored writes, which an abort cannot undo'],
  REVISION_NOT_FOUND: [404, 'no revision of the state was applied'],
  STATE_SCHEMA_VERSION_MISMATCH: [400, 'the client writes another schema than the service reads'],
});
