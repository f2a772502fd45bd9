export { MqlModule } from './mql.module.js';
export type { QueryColumn, QueryTable } from './tables/query-table.js';
export { QueryTables } from './tables/query-tables.js';
export { MARKER, MAX_VALUE_BYTES } from './tables/value-bounds.rules.js';
