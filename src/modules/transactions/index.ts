export { type BundleClaims, bundleOf } from './bundle-tokens.js';
export { STATE_SCHEMA_VERSION } from './schema-version.js';
export { TransactionsModule } from './transactions.module.js';
