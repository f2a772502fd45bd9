import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { importPKCS8, SignJWT } from 'jose';
import {
  type BillingStore,
  failureOfStatus,
  MAX_LISTED_OBJECTS,
  type StoredObject,
  storeFailures,
} from './billing-store.js';
import { objectPattern } from './object-pattern.rules.js';
import { SilenceLimit } from './silence-limit.js';

const SCOPE = 'https://www.googleapis.com/auth/devstorage.read_only';
const TOKEN_LIFETIME_SECONDS = 3_600;
const REFRESH_BEFORE_MS = 60_000;

interface ServiceAccount {
  client_email: string;
  private_key: string;
  private_key_id?: string;
  token_uri: string;
}

interface ObjectPage {
  items?: { name: string; size?: string; updated?: string }[];
  nextPageToken?: string;
}

export interface GooglePlace {
  bucket: string;
  path: string;
  /** without a slash at its end */
  endpoint: string;
  /** key file of a service account (`GOOGLE_APPLICATION_CREDENTIALS`) */
  keyFile: string | undefined;
  /** how long the store may send nothing */
  silenceMs: number;
}

/** Google Cloud Storage by its JSON API, as a service account. */
export class GoogleStore implements BillingStore {
  private token: { value: string; until: number } | undefined;

  constructor(private readonly place: GooglePlace) {}

  async list(signal: AbortSignal): Promise<StoredObject[]> {
    return SilenceLimit.run(signal, this.place.silenceMs, (limit) => this.listAll(limit));
  }

  async open(object: StoredObject, signal: AbortSignal): Promise<Readable> {
    const { body } = await SilenceLimit.run(signal, this.place.silenceMs, (limit) =>
      this.get(`o/${encodeURIComponent(object.name)}?alt=media`, limit.signal),
    );
    if (body === null) throw storeFailures.unreachable();
    return Readable.fromWeb(body as ReadableStream<Uint8Array>);
  }

  private async listAll(limit: SilenceLimit): Promise<StoredObject[]> {
    const pattern = objectPattern(this.place.path);
    const found: StoredObject[] = [];
    let [page, seen]: [string | undefined, number] = [undefined, 0];
    do {
      const query = new URLSearchParams({
        prefix: pattern.prefix,
        maxResults: '1000',
        fields: 'items(name,size,updated),nextPageToken',
        ...(page === undefined ? {} : { pageToken: page }),
      });
      const answer = await this.get(`o?${query.toString()}`, limit.signal);
      const { items = [], nextPageToken } = (await answer.json()) as ObjectPage;
      limit.restart();
      for (const { name, size = '0', updated = '' } of items)
        if (pattern.matches(name))
          found.push({ name, size: Number(size), modifiedAt: Date.parse(updated) || 0 });
      seen += items.length;
      if (seen > MAX_LISTED_OBJECTS) throw storeFailures.tooMany();
      page = nextPageToken;
    } while (page !== undefined);
    return found;
  }

  private async get(path: string, signal: AbortSignal): Promise<Response> {
    const { endpoint, bucket } = this.place;
    return request(`${endpoint}/storage/v1/b/${encodeURIComponent(bucket)}/${path}`, signal, {
      headers: { authorization: `Bearer ${await this.accessToken(signal)}` },
    });
  }

  /** OAuth 2.0 for service accounts: a signed assertion is exchanged for an access token (RFC 7523). */
  private async accessToken(signal: AbortSignal): Promise<string> {
    if (this.token && this.token.until > Date.now()) return this.token.value;
    const account = await this.serviceAccount();
    const assertion = await new SignJWT({ scope: SCOPE })
      .setProtectedHeader({
        alg: 'RS256',
        typ: 'JWT',
        ...(account.private_key_id ? { kid: account.private_key_id } : {}),
      })
      .setIssuer(account.client_email)
      .setAudience(account.token_uri)
      .setIssuedAt()
      .setExpirationTime(`${TOKEN_LIFETIME_SECONDS}s`)
      .sign(await importPKCS8(account.private_key, 'RS256').catch(refuseKey));
    const answer = await request(account.token_uri, signal, {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion }),
    });
    const { access_token: value, expires_in: seconds = TOKEN_LIFETIME_SECONDS } = (await answer.json()) as {
      access_token: string;
      expires_in?: number;
    };
    this.token = { value, until: Date.now() + seconds * 1_000 - REFRESH_BEFORE_MS };
    return value;
  }

  private async serviceAccount(): Promise<ServiceAccount> {
    const { keyFile } = this.place;
    if (keyFile === undefined) throw storeFailures.unconfigured('Google Cloud Storage');
    const account = await readFile(keyFile, 'utf8').then(
      (text) => JSON.parse(text) as ServiceAccount,
      refuseKey,
    );
    return account.private_key === undefined || account.token_uri === undefined ? refuseKey() : account;
  }
}

async function request(address: string, signal: AbortSignal, init: RequestInit): Promise<Response> {
  const answer = await fetch(address, { ...init, signal }).catch((error: unknown) => {
    throw signal.aborted ? error : storeFailures.unreachable();
  });
  if (answer.ok) return answer;
  await answer.body?.cancel();
  // A refused assertion is 400; it is about the credentials all the same.
  throw init.method === 'POST' && answer.status === 400
    ? storeFailures.denied()
    : failureOfStatus(answer.status);
}

function refuseKey(): never {
  throw storeFailures.unconfigured('Google Cloud Storage');
}
