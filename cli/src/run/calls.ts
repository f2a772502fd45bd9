import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Failure, ServiceFailure } from '../failure.js';
import type { ApiClient } from '../service/api-client.js';

/** Calls by address, for bodies that must arrive digit by digit: they go and come as JSON text. */
export class Calls {
  /** `insists`: on which calls when the network fails; `all` where a call may arrive twice without harm. */
  constructor(
    private readonly client: ApiClient,
    private readonly insists: 'reads' | 'all' = 'reads',
  ) {}

  /** The answer's text. */
  async text(method: 'GET' | 'POST', url: string, body?: string, signal?: AbortSignal): Promise<string> {
    const send = () => this.send({ method, url, body, signal });
    return method === 'GET' || this.insists === 'all' ? insistently(send) : send();
  }

  /** Begins a step of a transaction, also when an answer is lost: the service knows the step again by its key. */
  async step<T>(txId: string, step: 'preview' | 'commit'): Promise<T> {
    return JSON.parse(await this.once(`/api/v1/tx/${txId}/${step}`)) as T;
  }

  /** A POST that the service does once, however often it is sent: it knows the request again by its key. */
  async once(url: string, body?: string): Promise<string> {
    const key = randomUUID();
    return insistently(() => this.send({ method: 'POST', url, body, key }));
  }

  async get<T>(url: string, signal?: AbortSignal): Promise<T> {
    return JSON.parse(await this.text('GET', url, undefined, signal)) as T;
  }

  async post<T>(url: string, body?: unknown, signal?: AbortSignal): Promise<T> {
    const text = await this.text('POST', url, body === undefined ? undefined : JSON.stringify(body), signal);
    return (text === '' ? undefined : JSON.parse(text)) as T;
  }

  private async send({ method, url, body, signal, key }: SentCall): Promise<string> {
    const headers = {
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...(key === undefined ? {} : { 'Idempotency-Key': key }),
    };
    const { data } = await this.client.request({
      method,
      url,
      headers,
      security: [{ scheme: 'bearer', type: 'http' }],
      parseAs: 'text',
      ...(signal ? { signal } : {}),
      ...(body === undefined ? {} : { body, bodySerializer: null }),
    });
    return typeof data === 'string' ? data : '';
  }
}

interface SentCall {
  method: 'GET' | 'POST';
  url: string;
  body?: string | undefined;
  signal?: AbortSignal | undefined;
  key?: string;
}

const ATTEMPTS = 6;
const FIRST_PAUSE_MS = 200;
/** Nothing is begun again later than so long after the first attempt: an attempt itself may take minutes. */
const PATIENCE_MS = 10 * 60_000;

/**
 * Tries again when the network fails or the service is out of order, for calls that do no harm when they arrive twice.
 * A later attempt may find that an earlier one did arrive: `arrived` says which refusals mean that.
 */
export async function insistently<T>(
  call: () => Promise<T>,
  arrived: (failure: ServiceFailure) => T | undefined = () => undefined,
): Promise<T> {
  const end = Date.now() + PATIENCE_MS;
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      const found = attempt > 1 && error instanceof ServiceFailure ? arrived(error) : undefined;
      if (found !== undefined) return found;
      if (attempt === ATTEMPTS || !isPassing(error) || Date.now() > end) throw error;
      await delay(FIRST_PAUSE_MS * 2 ** (attempt - 1));
    }
  }
}

export function isPassing(error: unknown): boolean {
  if (error instanceof ServiceFailure) return error.status >= 500;
  return error instanceof Failure && error.id === 'UNREACHABLE';
}
