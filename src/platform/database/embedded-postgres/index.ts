export { EmbeddedPostgresError } from './embedded-postgres-error.js';
export { EmbeddedPostgres } from './embedded-postgres.js';
export { reachableDirectory } from './run-as.js';
