/** A refusal of the service, or an answer that is none of its own. */
export class ApiFailure extends Error {
  constructor(
    /** 0 when no answer came */
    readonly status: number,
    readonly id: string,
    message: string,
    readonly requestId?: string,
    /** seconds after which the service may be asked again */
    readonly retryAfter?: number,
  ) {
    super(message);
    this.name = 'ApiFailure';
  }
}

/** Reads `{id, data}`; a body of anything else is named by its status and never shown. */
export function toFailure(error: unknown, response: Response | undefined): ApiFailure {
  if (error instanceof ApiFailure) return error;
  if (!response) return new ApiFailure(0, 'UNREACHABLE', 'The service cannot be reached.');
  const requestId = response.headers.get('X-Request-Id') ?? undefined;
  const retryAfter = secondsToWait(response.headers);
  const { id, data } = isRefusal(error) ? error : unexpected(response.status);
  return new ApiFailure(response.status, id, data, requestId, retryAfter);
}

function isRefusal(value: unknown): value is { id: string; data: string } {
  if (typeof value !== 'object' || value === null) return false;
  const { id, data } = value as Record<string, unknown>;
  return typeof id === 'string' && typeof data === 'string';
}

function unexpected(status: number): { id: string; data: string } {
  return { id: 'UNEXPECTED', data: `The service answered with status ${status}, which was not expected.` };
}

/** Reads both forms of `Retry-After`; a date is compared with the `Date` of the same answer, never with this clock. */
function secondsToWait(headers: Headers): number | undefined {
  const asked = headers.get('Retry-After') ?? '';
  if (/^\d{1,6}$/.test(asked)) return Number(asked);
  const seconds = (Date.parse(asked) - Date.parse(headers.get('Date') ?? '')) / 1_000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, Math.ceil(seconds));
}

/** What a browser reads in place of data when a proxy or the sign-in page of a network stands between. */
export function refusePage(response: Response): void {
  const type = response.headers.get('Content-Type') ?? '';
  if (response.ok && /^text\/html\b/i.test(type)) throw unexpectedAnswer(response.status, 'a page');
}

/** Every answer in JSON is an object or a list. */
export function refuseNonObject(data: unknown): Promise<void> {
  const isFine = typeof data === 'object' && data !== null;
  return isFine ? Promise.resolve() : Promise.reject(unexpectedAnswer(200, 'nothing'));
}

/** The object that was asked for; throws for an answer that is something else. */
export function objectWithId<T extends { id: string }>(object: T, id: string): T {
  if (object.id !== id) throw unexpectedAnswer(200, 'something else');
  return object;
}

/** An answer of 200 whose body cannot be used. */
export function unexpectedAnswer(status: number, what: string): ApiFailure {
  return new ApiFailure(status, 'UNEXPECTED', `The service answered with ${what} instead of data.`);
}

/** Worth another attempt without anybody asking: nothing was refused, or only for a moment. */
export function isPassing(error: unknown): boolean {
  return error instanceof ApiFailure && [0, 429, 502, 503, 504].includes(error.status);
}
