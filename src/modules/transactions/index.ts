export { type BundleClaims, bundleOf } from './bundle-tokens.js';
export { ConfigurationAccesses } from './conflicts/configuration-accesses.store.js';
export { STATE_SCHEMA_VERSION } from './log/schema-version.js';
export { TransactionEntity } from './entities/transaction.entity.js';
export { TransactionsModule } from './transactions.module.js';
export {
  DescribesPlan,
  PlanDescribers,
  type PlanDescriber,
  type PlanDescription,
} from './plan-describers.js';
export { PlanStored } from './plan-stored.event.js';
export { type PlannedChanges, ReportedContents } from './steps/reported-contents.store.js';
export { TransactionEnded } from './transaction-ended.event.js';
export { TransactionNodes } from './conflicts/transaction-nodes.store.js';
export { TransactionEntries } from './log/transaction-entries.queries.js';
export { transactionErrors } from './transactions.errors.js';
export { TransactionQueries } from './transactions.queries.js';
export { type LockedTransaction, TransactionsService } from './transactions.service.js';
export type { PlanOperationView } from './dto/transaction.dto.js';
