export { type BundleClaims, bundleOf } from './bundle-tokens.js';
export { STATE_SCHEMA_VERSION } from './schema-version.js';
export { TransactionsModule } from './transactions.module.js';
export { PlanStored } from './plan-stored.event.js';
export { RunnerReports } from './runner-reports.service.js';
export { TransactionEnded } from './transaction-ended.event.js';
export { TransactionNodes } from './transaction-nodes.store.js';
export { TransactionEntries } from './transaction-entries.queries.js';
export { transactionErrors } from './transactions.errors.js';
