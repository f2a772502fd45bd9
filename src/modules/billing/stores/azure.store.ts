import type { Readable } from 'node:stream';
import {
  type BillingStore,
  failureOfStatus,
  MAX_LISTED_OBJECTS,
  REQUEST_TIMEOUT_MS,
  type StoredObject,
  StoreFailure,
  storeFailures,
} from './billing-store.js';
import { objectPattern } from './object-pattern.rules.js';
import { SilenceLimit } from './silence-limit.js';

const SCOPE = 'https://storage.azure.com/.default';

/** The operator's credentials, from the environment. A shared key is used for its own account only. */
export interface AzureCredentials {
  account: string | undefined;
  key: string | undefined;
  sasToken: string | undefined;
  principal: ServicePrincipal | undefined;
}

export interface ServicePrincipal {
  /** where it signs in; differs for national clouds */
  authority: string;
  tenantId: string;
  clientId: string;
  clientSecret: string;
}

export interface AzurePlace {
  account: string;
  container: string;
  path: string;
  /** of the operator's own store, without the account; undefined for Azure */
  endpoint: string | undefined;
  credentials: AzureCredentials;
  /** how long the store may send nothing */
  silenceMs: number;
}

/** Azure Blob Storage and Data Lake Storage. */
export class AzureStore implements BillingStore {
  private client: ReturnType<typeof openContainer> | undefined;

  constructor(private readonly place: AzurePlace) {}

  async list(signal: AbortSignal): Promise<StoredObject[]> {
    return SilenceLimit.run(signal, this.place.silenceMs, (limit) => this.listAll(limit));
  }

  async open(object: StoredObject, signal: AbortSignal): Promise<Readable> {
    const client = await this.connect();
    const answer = await SilenceLimit.run(signal, this.place.silenceMs, (limit) =>
      client
        .getBlobClient(object.name)
        .download(0, undefined, { abortSignal: limit.signal, maxRetryRequests: 3 })
        .catch(refuse),
    );
    if (answer.readableStreamBody === undefined) throw storeFailures.unreachable();
    return answer.readableStreamBody as Readable;
  }

  private async listAll(limit: SilenceLimit): Promise<StoredObject[]> {
    const client = await this.connect();
    const pattern = objectPattern(this.place.path);
    const found: StoredObject[] = [];
    let seen = 0;
    try {
      for await (const { name, properties } of client.listBlobsFlat({
        prefix: pattern.prefix,
        abortSignal: limit.signal,
      })) {
        limit.restart();
        if (++seen > MAX_LISTED_OBJECTS) throw storeFailures.tooMany();
        if (pattern.matches(name))
          found.push({
            name,
            size: properties.contentLength ?? 0,
            modifiedAt: properties.lastModified.getTime(),
          });
      }
    } catch (error) {
      refuse(error);
    }
    return found;
  }

  private connect(): ReturnType<typeof openContainer> {
    this.client ??= openContainer(this.place);
    return this.client;
  }
}

async function openContainer({ account, container, endpoint, credentials, silenceMs }: AzurePlace) {
  const { ContainerClient, StorageSharedKeyCredential } = await import('@azure/storage-blob');
  const base = endpoint === undefined ? `https://${account}.blob.core.windows.net` : `${endpoint}/${account}`;
  const address = `${base}/${encodeURIComponent(container)}`;
  const options = { retryOptions: { maxTries: 3, tryTimeoutInMs: silenceMs } };
  const { key, sasToken, principal } = credentials;
  if (key !== undefined && credentials.account === account)
    return new ContainerClient(address, new StorageSharedKeyCredential(account, key), options);
  if (principal !== undefined) return new ContainerClient(address, tokensOf(principal), options);
  if (sasToken !== undefined)
    return new ContainerClient(`${address}?${sasToken.replace(/^\?/, '')}`, undefined, options);
  throw storeFailures.unconfigured('Azure Storage');
}

interface TokenAnswer {
  access_token?: unknown;
  expires_in?: unknown;
}

/** Client credentials of a service principal (OAuth 2.0). */
function tokensOf({ authority, tenantId, clientId, clientSecret }: ServicePrincipal) {
  return {
    async getToken(): Promise<{ token: string; expiresOnTimestamp: number }> {
      const answer = await fetch(`${authority}/${encodeURIComponent(tenantId)}/oauth2/v2.0/token`, {
        method: 'POST',
        redirect: 'error',
        signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
        body: new URLSearchParams({
          grant_type: 'client_credentials',
          client_id: clientId,
          client_secret: clientSecret,
          scope: SCOPE,
        }),
      }).catch(() => undefined);
      if (answer === undefined) throw storeFailures.unreachable();
      if (!answer.ok) throw storeFailures.denied();
      const body = (await answer.json().catch(() => undefined)) as TokenAnswer | undefined;
      if (typeof body?.access_token !== 'string') throw storeFailures.denied();
      return {
        token: body.access_token,
        expiresOnTimestamp: Date.now() + Number(body.expires_in ?? 0) * 1_000,
      };
    },
  };
}

function refuse(error: unknown): never {
  if (error instanceof StoreFailure) throw error;
  const { name = '', statusCode } = error as { name?: string; statusCode?: number };
  if (name === 'AbortError') throw error;
  throw statusCode === undefined ? storeFailures.unreachable() : failureOfStatus(statusCode);
}
