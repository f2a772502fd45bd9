/** What became of a delivery. */
export type HandledAs = 'processed' | 'ignored';
