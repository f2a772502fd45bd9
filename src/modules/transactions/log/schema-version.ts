/** The schema of what clients log into a transaction. A client of another one is told so (`tx/create`). */
export const STATE_SCHEMA_VERSION = 1;
