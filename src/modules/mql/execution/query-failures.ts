import { AppError } from '../../../platform/errors/index.js';
import { originalPlace } from '../analysis/canonical-text.js';
import { GATHERED_TOO_MUCH } from '../analysis/gathering.rules.js';
import { mqlErrors, positionIn, type QueryErrorId, QueryRefused } from '../mql.errors.js';
import type { PageQuery } from '../paging/page-query.js';

interface DatabaseFailure {
  code: string;
  message: string;
  /** in characters of `internalQuery`, from one */
  internalPosition?: string;
  internalQuery?: string;
  /** function of PostgreSQL that has raised it */
  routine?: string;
}

/** What an SQLSTATE, or its class, is called here. */
const IDS: Readonly<Record<string, QueryErrorId>> = {
  '57014': 'TIMEOUT_ERR',
  '55P03': 'TIMEOUT_ERR',
  '42P01': 'TABLE_ACCESS_ERR',
  '42501': 'TABLE_ACCESS_ERR',
  '42703': 'UNKNOWN_COLUMN_ERR',
  '42846': 'CAST_ERR',
  MQ001: 'RESOURCE_LIMIT_ERR',
  MQ002: 'RESOURCE_LIMIT_ERR',
  '53400': 'RESOURCE_LIMIT_ERR',
  // Not 53300: that connections are used up is no query's making.
  '53000': 'RESOURCE_LIMIT_ERR',
  '53100': 'RESOURCE_LIMIT_ERR',
  '53200': 'RESOURCE_LIMIT_ERR',
  '54': 'RESOURCE_LIMIT_ERR',
  '0A': 'QUERY_ERR',
  '21': 'QUERY_ERR',
  '22': 'QUERY_ERR',
  '23': 'QUERY_ERR',
  '25': 'QUERY_ERR',
  '2F': 'QUERY_ERR',
  '38': 'QUERY_ERR',
  '42': 'QUERY_ERR',
};

/** An answer for what went wrong; what is not the query's fault is thrown as it is. */
export function answerFor(
  error: unknown,
  query: string,
  page: PageQuery | undefined,
  { collects }: { collects: boolean },
): unknown {
  if (error instanceof QueryRefused)
    return mqlErrors[error.id](withPosition(error.message, query, error.location));
  const failure = databaseFailure(error);
  if (!failure || error instanceof AppError) return error;
  if (collects && failure.code === GATHERED_TOO_MUCH.code && failure.routine === GATHERED_TOO_MUCH.routine)
    return mqlErrors.RESOURCE_LIMIT_ERR(
      'the query gathers too much into one value: aggregate fewer rows, or smaller columns than attributes',
    );
  const id = idOf(failure);
  if (!id) return error;
  if (id === 'TIMEOUT_ERR') return mqlErrors.TIMEOUT_ERR();
  return mqlErrors[id](withPosition(failure.message, query, placeOf(failure, page)));
}

function idOf({ code, message }: DatabaseFailure): QueryErrorId | undefined {
  if (code === '42883') return message.startsWith('function') ? 'FUNC_ACCESS_ERR' : 'QUERY_ERR';
  // A limit of one value (1 GB) and a stack that is too deep are of the query's making.
  if (code === 'XX000' && /invalid memory alloc/.test(message)) return 'RESOURCE_LIMIT_ERR';
  return IDS[code] ?? IDS[code.slice(0, 2)];
}

function databaseFailure(error: unknown): DatabaseFailure | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined;
  return /^[0-9A-Z]{5}$/.test(error.code) ? (error as unknown as DatabaseFailure) : undefined;
}

/** Bytes into the caller's text. */
function placeOf(
  { internalPosition, internalQuery }: DatabaseFailure,
  page: PageQuery | undefined,
): number | undefined {
  if (internalPosition === undefined || internalQuery === undefined || !page) return undefined;
  const start = internalQuery.indexOf(page.sql);
  if (start < 0) return undefined;
  // PostgreSQL counts characters, not code units.
  const before = [...internalQuery]
    .slice(0, Number(internalPosition) - 1)
    .join('')
    .slice(start);
  const inner = Buffer.byteLength(before) - page.innerStart;
  if (inner < 0 || inner > Buffer.byteLength(page.inner.sql)) return undefined;
  return originalPlace(page.inner, inner);
}

function withPosition(message: string, query: string, location: number | undefined): string {
  return location === undefined ? message : `${message} (at position ${positionIn(query, location)})`;
}
