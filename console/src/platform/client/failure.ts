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
  const retryAfter = secondsOf(response.headers.get('Retry-After'));
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

function secondsOf(header: string | null): number | undefined {
  return header !== null && /^\d{1,6}$/.test(header) ? Number(header) : undefined;
}

/** Worth another attempt without anybody asking: nothing was refused, or only for a moment. */
export function isPassing(error: unknown): boolean {
  return error instanceof ApiFailure && [0, 429, 502, 503, 504].includes(error.status);
}
