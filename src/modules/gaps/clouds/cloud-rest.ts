import { setTimeout as delay } from 'node:timers/promises';
import { CloudFailure, type FailureCode } from './cloud-inventory.js';
import { isRecord } from '../../../platform/json/is-record.js';

/** Of one response. A page of 1,000 resources has about 1 MB. */
export const MAX_RESPONSE_BYTES = 32 * 1024 * 1024;

const MAX_ATTEMPTS = 5;
const FIRST_BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 20_000;
const REQUEST_TIMEOUT_MS = 30_000;

export interface CloudRequest {
  /** for people, such as `cloudasset:searchAllResources` */
  action: string;
  url: URL;
  method?: 'GET' | 'POST';
  headers?: Record<string, string>;
  body?: string;
  signal: AbortSignal;
  /** default 5 */
  maxAttempts?: number;
}

export function urlBelow(base: string, path: string): URL {
  return new URL(`${base.replace(/\/+$/, '')}${path}`);
}

/** The JSON object of a 200, after retries of what may pass. Everything else is a `CloudFailure`. */
export async function cloudJson(request: CloudRequest): Promise<Record<string, unknown>> {
  const { action, signal, maxAttempts = MAX_ATTEMPTS } = request;
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await attempted(request);
    if ('json' in outcome) return outcome.json;
    if (!outcome.mayPass || attempt >= maxAttempts || signal.aborted) throw outcome.failure;
    await delay(backoffMs(attempt, outcome.retryAfterMs), undefined, { signal }).catch(() => {
      throw new CloudFailure('UNREACHABLE', { action });
    });
  }
}

type Outcome =
  | { json: Record<string, unknown> }
  | { failure: CloudFailure; mayPass: boolean; retryAfterMs?: number | undefined };

async function attempted({
  action,
  url,
  method = 'GET',
  headers = {},
  body,
  signal,
}: CloudRequest): Promise<Outcome> {
  let answer: Response;
  let text: string;
  try {
    answer = await fetch(url, {
      method,
      headers: { accept: 'application/json', ...headers },
      ...(body === undefined ? {} : { body }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]),
      redirect: 'error',
    });
    text = await readBounded(answer);
  } catch (error) {
    if (error instanceof CloudFailure) return { failure: error, mayPass: false };
    return { failure: new CloudFailure('UNREACHABLE', { action }), mayPass: true };
  }
  const json = objectOf(text);
  if (answer.status === 200)
    return json ? { json } : { failure: new CloudFailure('INVALID_RESPONSE', { action }), mayPass: false };
  const failure = new CloudFailure(codeOf(answer.status, json), { action, cloudCode: cloudCodeOf(json) });
  const mayPass = answer.status === 429 || answer.status >= 500;
  return { failure, mayPass, retryAfterMs: retryAfterMs(answer.headers.get('retry-after')) };
}

/** The text of a response, refused as soon as it is too large. */
export async function readBounded(answer: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of answer.body ?? []) {
    bytes += (part as Uint8Array).length;
    if (bytes > MAX_RESPONSE_BYTES)
      throw new CloudFailure('INVALID_RESPONSE', {
        message: 'the cloud answered more than a response may have',
      });
    parts.push(part as Uint8Array);
  }
  return Buffer.concat(parts).toString();
}

function objectOf(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function codeOf(status: number, json: Record<string, unknown> | undefined): FailureCode {
  if (status === 429) return 'THROTTLED';
  // 400 of a token endpoint: the assertion or the secret is wrong.
  const isRefusedGrant = status === 400 && typeof json?.['error'] === 'string';
  return status === 401 || status === 403 || isRefusedGrant ? 'ACCESS_DENIED' : 'CLOUD_ERROR';
}

/** `invalid_grant` of a token endpoint, `error.status` of Google, `error.code` of Azure. */
function cloudCodeOf(json: Record<string, unknown> | undefined): string | undefined {
  const error = json?.['error'];
  if (typeof error === 'string') return error;
  const { status, code } = (error ?? {}) as { status?: unknown; code?: unknown };
  return [status, code].find((value) => typeof value === 'string');
}

function retryAfterMs(header: string | null): number | undefined {
  return header !== null && /^\d{1,5}$/.test(header) ? Number(header) * 1_000 : undefined;
}

function backoffMs(attempt: number, retryAfter: number | undefined): number {
  return Math.min(retryAfter ?? FIRST_BACKOFF_MS * 2 ** (attempt - 1), MAX_BACKOFF_MS);
}
