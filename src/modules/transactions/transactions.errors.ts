import { defineErrors } from '../../platform/errors/index.js';

export const transactionErrors = defineErrors({
  TX_NOT_FOUND: [404, 'transaction not found'],
  TX_NOT_ACTIVE: [409, 'the transaction or this step has ended'],
  TX_IS_SESSION: [
    409,
    'this transaction is a session: it accepts only writes with its token, and has no log, plan or apply',
  ],
  TX_BUSY: [409, 'a preview or commit of the transaction is in progress'],
  TX_NOT_PREVIEWED: [404, 'the transaction has no plan yet'],
  TX_PLAN_OUTDATED: [409, 'configuration changed after the plan; run the preview again'],
  TX_HAS_WRITES: [409, 'the session has stored writes, which an abort cannot undo; commit it instead'],
  REVISION_NOT_FOUND: [404, 'the state has no applied revision'],
  STATE_SCHEMA_VERSION_MISMATCH: [
    400,
    'state_schema_version must be that of the service (GET /version); update the client',
  ],
});
