/** Why the embedded database cannot start, in one line for the person at the terminal. */
export class EmbeddedPostgresError extends Error {}
