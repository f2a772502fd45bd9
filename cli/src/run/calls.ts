import { setTimeout as delay } from 'node:timers/promises';
import { Failure, ServiceFailure } from '../failure.js';
import type { ApiClient } from '../service/api-client.js';

/** Calls by address, for bodies that must arrive digit by digit: they go and come as JSON text. */
export class Calls {
  constructor(private readonly client: ApiClient) {}

  /** The answer's text. */
  async text(method: 'GET' | 'POST', url: string, body?: string, signal?: AbortSignal): Promise<string> {
    const { data } = await this.client.request({
      method,
      url,
      security: [{ scheme: 'bearer', type: 'http' }],
      parseAs: 'text',
      ...(signal ? { signal } : {}),
      ...(body === undefined
        ? {}
        : { body, bodySerializer: null, headers: { 'Content-Type': 'application/json' } }),
    });
    return typeof data === 'string' ? data : '';
  }

  async get<T>(url: string, signal?: AbortSignal): Promise<T> {
    return JSON.parse(await this.text('GET', url, undefined, signal)) as T;
  }

  async post<T>(url: string, body?: unknown, signal?: AbortSignal): Promise<T> {
    const text = await this.text('POST', url, body === undefined ? undefined : JSON.stringify(body), signal);
    return (text === '' ? undefined : JSON.parse(text)) as T;
  }
}

const ATTEMPTS = 6;
const FIRST_PAUSE_MS = 200;

/**
 * Tries again when the network fails or the service is out of order, for calls that do no harm when they arrive twice.
 * A later attempt may find that an earlier one did arrive: `arrived` says which refusals mean that.
 */
export async function insistently<T>(
  call: () => Promise<T>,
  arrived: (failure: ServiceFailure) => T | undefined = () => undefined,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      const found = attempt > 1 && error instanceof ServiceFailure ? arrived(error) : undefined;
      if (found !== undefined) return found;
      if (attempt === ATTEMPTS || !isPassing(error)) throw error;
      await delay(FIRST_PAUSE_MS * 2 ** (attempt - 1));
    }
  }
}

export function isPassing(error: unknown): boolean {
  if (error instanceof ServiceFailure) return error.status >= 500;
  return error instanceof Failure && error.id === 'UNREACHABLE';
}
