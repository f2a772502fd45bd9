import { type Client, createClient, createConfig } from './generated/client/index.js';
import { ApiError, refusedBy } from './api-error.js';
import { type RetryOptions, retryingFetch } from './retry.js';

export interface ConnectOptions {
  /** address of the service, such as `https://state.example.com` */
  baseUrl: string;
  /** API key, or the token of a session, a transaction or a step */
  key?: string;
  /** in a browser: send the session cookie */
  cookie?: boolean;
  /** false sends nothing twice */
  retry?: RetryOptions | false;
  /** milliseconds until the head of an answer, all attempts together (default 60,000) */
  timeout?: number;
  /** sent as `User-Agent`, where the platform allows it */
  userAgent?: string;
  /** used in place of the platform's own */
  fetch?: typeof fetch;
}

/** A client for one service. A call that does not succeed throws an `ApiError`. */
export function connect(options: ConnectOptions): Client {
  const { baseUrl, key, cookie = false, retry = {}, timeout = 60_000, userAgent } = options;
  const send: typeof fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init));
  const client = createClient(
    createConfig({
      baseUrl: baseUrl.replace(/\/+$/, ''),
      throwOnError: true,
      fetch: retryingFetch({ fetch: send, retry, timeoutMs: timeout }),
      // A redirect would carry the key elsewhere, or turn a POST into a GET.
      redirect: 'manual',
      credentials: cookie ? 'include' : 'omit',
      ...(key === undefined ? {} : { auth: key }),
      ...(userAgent === undefined ? {} : { headers: { 'User-Agent': userAgent } }),
    }),
  );
  client.interceptors.error.use((error, response: Response | undefined, request) => {
    if (error instanceof ApiError || request.signal.aborted) return error;
    return response === undefined ? error : refusedBy(response, error);
  });
  return client;
}

/** The body of a call that succeeded: `const { results } = await bodyOf(tenantStatesList({ client, path }))`. */
export async function bodyOf<T>(call: Promise<{ data: T | undefined }>): Promise<T> {
  const { data } = await call;
  if (data === undefined) throw new ApiError('the answer has no body', { status: 0, id: 'EMPTY_ANSWER' });
  return data;
}
