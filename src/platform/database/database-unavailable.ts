/** PostgreSQL, or the way to it, is away: refused, reset, unknown host, starting up, shutting down, full, read-only. */
const CODES: ReadonlySet<string> = new Set([
  ...[
    'ECONNREFUSED',
    'ECONNRESET',
    'EPIPE',
    'ETIMEDOUT',
    'ENOTFOUND',
    'EAI_AGAIN',
    'EHOSTUNREACH',
    'ENETUNREACH',
  ],
  ...['57P01', '57P02', '57P03', '57P05'],
  // Disk full, out of memory, too many connections.
  ...['53100', '53200', '53300'],
  // The server that was asked has become a standby.
  '25006',
]);
const CONNECTION_EXCEPTION = /^08[0-9A-Z]{3}$/;
/** The driver gives these no code. */
const MESSAGES: ReadonlySet<string> = new Set([
  'timeout exceeded when trying to connect',
  'timeout expired',
  'Connection terminated',
  'Connection terminated unexpectedly',
  'Connection terminated due to connection timeout',
  'Client has encountered a connection error and is not queryable',
  'Client was closed and is not queryable',
]);
/** A connection that was lost between two statements of a transaction. */
const LOST_RUNNER = 'QueryRunnerAlreadyReleasedError';

/** Whether an error means that the database cannot be used at the moment, so that trying again later is right. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // A host name with several addresses fails with one error per address.
  if (error instanceof AggregateError && error.errors.some(isDatabaseUnavailable)) return true;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (CODES.has(code) || CONNECTION_EXCEPTION.test(code)) return true;
  return MESSAGES.has(error.message) || error.name === LOST_RUNNER;
}
