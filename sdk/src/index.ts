export * from './generated/index.js';
export { createClient, createConfig } from './generated/client/index.js';
export type { Client } from './generated/client/index.js';
export {
  type KeyValueNamespace,
  records,
  type RecordsOptions,
  updateRecord,
  type UpdateOptions,
} from './key-value.js';
