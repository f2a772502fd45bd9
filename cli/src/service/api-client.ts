import { type Client, createClient, createConfig } from '@infrastate/sdk';
import { Failure, ServiceFailure } from '../failure.js';
import { patientFetch, type Repeat } from './patient-fetch.js';

export type ApiClient = Client;

export interface ApiClientOptions {
  address: string;
  /** none for the routes that need none */
  apiKey?: string;
  /** which refusals with Retry-After are waited out: those of safe methods, or of every call made with this client */
  repeat?: Repeat;
  /** what to tell people while waiting */
  waiting?: (text: string) => void;
}

/** The SDK's client for one service. What is not a success is thrown as `ServiceFailure`. */
export function createApiClient({ address, apiKey, repeat = 'safe', waiting }: ApiClientOptions): ApiClient {
  const client = createClient(
    createConfig({
      baseUrl: address,
      throwOnError: true,
      // A redirect would turn a POST into a GET and carry the key elsewhere.
      redirect: 'manual',
      fetch: patientFetch({ repeat, waiting }),
      ...(apiKey === undefined ? {} : { auth: apiKey }),
    }),
  );
  client.interceptors.error.use((error, response: Response | undefined) =>
    response === undefined ? unreachable(address, error) : refused(address, error, response),
  );
  return client;
}

/** The body of a call that went well. */
export async function answer<T>(call: Promise<{ data: T | undefined }>): Promise<T> {
  const { data } = await call;
  if (data === undefined) throw new Failure('UNEXPECTED', 'the service answered without a body');
  return data;
}

function refused(address: string, error: unknown, response: Response): Failure {
  const { status } = response;
  const location = response.headers.get('location');
  if (status >= 300 && status < 400 && location)
    return new Failure('REDIRECTED', `${address} redirects to ${location}`, 'use that address instead');
  if (isErrorBody(error)) {
    const hint = status === 401 ? 'infrastate login signs in again' : undefined;
    return new ServiceFailure(status, error.id, error.data, hint);
  }
  return new ServiceFailure(status, `HTTP_${status}`, `${address} answered ${status} without a reason`);
}

function isErrorBody(value: unknown): value is { id: string; data: string } {
  return typeof value === 'object' && value !== null && 'id' in value && 'data' in value;
}

/** fetch hides why it failed in a chain of causes. */
function unreachable(address: string, error: unknown): Failure {
  if (error instanceof Failure) return error;
  let cause = error;
  while (cause instanceof Error && cause.cause !== undefined) cause = cause.cause;
  if (cause instanceof Failure) return cause;
  const code =
    cause instanceof Error ? ((cause as NodeJS.ErrnoException).code ?? cause.message) : String(cause);
  return new Failure('UNREACHABLE', `${address} cannot be reached (${code})`);
}
