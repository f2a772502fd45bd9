/** What an `ApiError` knows besides its text. */
export interface ApiErrorFacts {
  /** of the answer; 0 when there was none */
  status: number;
  /** stable error id, see docs/errors.md; `UNREACHABLE`, `TIMEOUT` or `HTTP_<status>` where the service sent none */
  id: string;
  requestId?: string | undefined;
  /** seconds the service asks to wait */
  retryAfter?: number | undefined;
  /** body of the answer, parsed when it was JSON: of 423 the lock of its holder */
  body?: unknown;
  cause?: unknown;
}

/** A call that did not succeed: the service refused it, or no answer came. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly id: string;
  readonly requestId: string | undefined;
  readonly retryAfter: number | undefined;
  readonly body: unknown;

  constructor(message: string, facts: ApiErrorFacts) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.status = facts.status;
    this.id = facts.id;
    this.requestId = facts.requestId;
    this.retryAfter = facts.retryAfter;
    this.body = facts.body;
  }
}

/** The error of an answer that is no success. `body` is what the client made of it. */
export function refusedBy(response: Response, body: unknown): ApiError {
  const { status, headers } = response;
  const known = isErrorBody(body) ? body : undefined;
  return new ApiError(known?.data ?? `the service answered ${status}`, {
    status,
    id: known?.id ?? `HTTP_${status}`,
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfter: retryAfterOf(headers, Date.now()),
    body,
  });
}

/** Seconds, from a number or a date. */
export function retryAfterOf(headers: Headers, now: number): number | undefined {
  const value = headers.get('retry-after');
  if (value === null) return undefined;
  if (/^\d+$/.test(value)) return Number(value);
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - now) / 1000));
}

function isErrorBody(value: unknown): value is { id: string; data: string } {
  if (typeof value !== 'object' || value === null) return false;
  const { id, data } = value as Record<string, unknown>;
  return typeof id === 'string' && typeof data === 'string';
}
