/** How Node says that the reader of an answer is gone: while it was sent, or before it began. */
const GONE: ReadonlySet<unknown> = new Set([
  'ERR_STREAM_PREMATURE_CLOSE',
  'ERR_STREAM_UNABLE_TO_PIPE',
  'ERR_STREAM_DESTROYED',
]);

/** Whether sending an answer ended because the client went away, which is no failure of ours. */
export function clientLeft(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && GONE.has(error.code);
}
