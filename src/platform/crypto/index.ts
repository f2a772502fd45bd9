export { formatEncryptionKeys, parseEncryptionKeys } from './encryption-keys.js';
export { SealedColumns } from './sealed-columns.js';
export type { SealedPlace } from './sealed-value.js';
export { Sealing } from './sealing.js';
