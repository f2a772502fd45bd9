export { EmbeddedPostgresError } from './embedded-postgres-error.js';
export { EmbeddedPostgres } from './embedded-postgres.js';
