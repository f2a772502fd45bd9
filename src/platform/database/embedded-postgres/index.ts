export { EmbeddedPostgresError } from './embedded-postgres-error.js';
export { EmbeddedPostgres, type EmbeddedPostgresOptions } from './embedded-postgres.js';
