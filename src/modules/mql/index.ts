export { MqlModule } from './mql.module.js';
export type { QueryColumn, QueryTable } from './query-table.js';
export { QueryTables } from './query-tables.js';
export { MARKER, MAX_VALUE_BYTES } from './value-bounds.rules.js';
