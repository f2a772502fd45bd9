export * from './generated/index.js';
export { createClient, createConfig } from './generated/client/index.js';
export type { Client } from './generated/client/index.js';
export { ApiError, type ApiErrorFacts } from './api-error.js';
export { bodyOf, connect, type ConnectOptions } from './connect.js';
export {
  type BackendPlace,
  documentStream,
  type LockDescription,
  lockState,
  readDocument,
  unlockState,
  writeDocument,
} from './documents.js';
export { exactly, ExactNumber, parseExact } from './exact-numbers.js';
export { pages, type RowOf } from './pages.js';
export { IDEMPOTENT_POSTS, type RetryOptions } from './retry.js';
export { waitForTask, type WaitOptions } from './tasks.js';
