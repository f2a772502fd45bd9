import { Injectable } from '@nestjs/common';
import { importPKCS8, SignJWT } from 'jose';
import { Config } from '../../../platform/config/index.js';
import { Clock } from '../../../platform/time/clock.js';
import { BearerToken } from './bearer-token.js';
import { checkedResource } from '../clouds/checked-resource.rules.js';
import { listedPages, listingsFrom } from '../clouds/listed-pages.js';
import {
  type CloudDescription,
  CloudFailure,
  type CloudInventory,
  type CloudResource,
  type GcpSettings,
  type ScanPart,
  type ScanPosition,
} from '../clouds/cloud-inventory.js';
import { type CloudRequest, urlBelow } from '../clouds/cloud-rest.js';

const ROWS_PER_PAGE = 500;
const ASSET_HOST = 'https://cloudasset.googleapis.com';
const TOKEN_URL = 'https://oauth2.googleapis.com/token';
const OAUTH_SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const SEARCH = 'cloudasset:searchAllResources';
const READ_MASK =
  'name,assetType,project,displayName,location,labels,parentFullResourceName,additionalAttributes';

/** Google Cloud by Cloud Asset Inventory, with a token for a signed assertion. */
@Injectable()
export class GcpInventory implements CloudInventory<GcpSettings> {
  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  async describe(settings: GcpSettings, signal: AbortSignal): Promise<CloudDescription> {
    await this.token(settings, signal, 1).json({ ...this.search(settings, signal, 1), maxAttempts: 1 });
    return { status: 'ready', isReady: true, aggregatorRegion: null, indexedRegions: [], warnings: [] };
  }

  async *scan(
    settings: GcpSettings,
    signal: AbortSignal,
    from: ScanPosition | undefined,
  ): AsyncGenerator<ScanPart, void> {
    const token = this.token(settings, signal);
    const read = async (pageToken: string | undefined) => {
      const request = this.search(settings, signal, ROWS_PER_PAGE, pageToken);
      const { results = [], nextPageToken } = await token.json(request);
      if (!Array.isArray(results)) throw new CloudFailure('INVALID_RESPONSE', { action: SEARCH });
      return { items: results.map(resourceOf), next: nextPageToken };
    };
    for (const { part: listing, page } of listingsFrom([settings.scope], (scope) => scope, from))
      for await (const { items: resources, next } of listedPages(SEARCH, read, page))
        yield { resources, position: { listing, page: next } };
  }

  private token(settings: GcpSettings, signal: AbortSignal, maxAttempts?: number): BearerToken {
    const base = this.config.get('SERVICE_GCP_ENDPOINT_URL');
    return new BearerToken(this.clock, async () => ({
      action: 'oauth2:token',
      url: base === undefined ? new URL(TOKEN_URL) : urlBelow(base, '/token'),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ grant_type: GRANT, assertion: await assertionOf(settings) }).toString(),
      signal,
      ...(maxAttempts === undefined ? {} : { maxAttempts }),
    }));
  }

  private search(settings: GcpSettings, signal: AbortSignal, rows: number, pageToken?: string): CloudRequest {
    const url = urlBelow(
      this.config.get('SERVICE_GCP_ENDPOINT_URL') ?? ASSET_HOST,
      `/v1/${settings.scope}:searchAllResources`,
    );
    url.searchParams.set('pageSize', String(rows));
    url.searchParams.set('readMask', READ_MASK);
    if (pageToken !== undefined) url.searchParams.set('pageToken', pageToken);
    return { action: SEARCH, url, signal };
  }
}

async function assertionOf({ clientEmail, privateKey, privateKeyId }: GcpSettings): Promise<string> {
  return new SignJWT({ scope: OAUTH_SCOPE })
    .setProtectedHeader({
      alg: 'RS256',
      typ: 'JWT',
      ...(privateKeyId === undefined ? {} : { kid: privateKeyId }),
    })
    .setIssuer(clientEmail)
    .setAudience(TOKEN_URL)
    .setIssuedAt()
    .setExpirationTime('1h')
    .sign(await importPKCS8(privateKey, 'RS256'));
}

function resourceOf(row: unknown): CloudResource {
  const asset = (row ?? {}) as Record<string, unknown>;
  const id = textOf(asset['name']) ?? '';
  const resourceType = textOf(asset['assetType']) ?? '';
  if (!id.startsWith('//') || !resourceType.includes('/'))
    throw new CloudFailure('INVALID_RESPONSE', { action: SEARCH });
  const project = projectOf(id, textOf(asset['parentFullResourceName']));
  const number = /^projects\/(\d+)$/.exec(textOf(asset['project']) ?? '')?.[1];
  const email = textOf(((asset['additionalAttributes'] ?? {}) as Record<string, unknown>)['email']);
  return checkedResource(
    {
      id,
      service: resourceType.slice(0, resourceType.indexOf('.')),
      resourceType,
      name: textOf(asset['displayName']),
      region: textOf(asset['location']),
      account: project ?? number,
      tags: textsOf(asset['labels']),
      attributes: email === undefined ? undefined : { email },
      aliases: aliasesOf(id, { project, number, email }),
    },
    SEARCH,
  );
}

/** The project's id, which names of some services have and others replace by its number. */
function projectOf(name: string, parent: string | undefined): string | undefined {
  for (const text of [parent, name]) {
    const project = /\/projects\/([^/]+)/.exec(text ?? '')?.[1];
    if (project !== undefined && !/^\d+$/.test(project)) return project;
  }
  return undefined;
}

/** Other spellings of an asset's name: by the project's id and number, of clusters by location, of accounts by address. */
function aliasesOf(
  name: string,
  {
    project,
    number,
    email,
  }: { project: string | undefined; number: string | undefined; email: string | undefined },
): string[] {
  const spellings = [name];
  for (const owner of [project, number])
    if (owner !== undefined) spellings.push(name.replace(/\/projects\/[^/]+\//, `/projects/${owner}/`));
  if (name.startsWith('//container.googleapis.com/'))
    spellings.push(
      ...spellings.map((text) =>
        text.replace(/\/(?:zones|regions)\/([^/]+)\/clusters\//, '/locations/$1/clusters/'),
      ),
    );
  if (email !== undefined && name.startsWith('//iam.googleapis.com/'))
    spellings.push(
      ...spellings.map((text) => text.replace(/\/serviceAccounts\/[^/]+$/, `/serviceAccounts/${email}`)),
    );
  return [...new Set(spellings)].slice(1);
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function textsOf(value: unknown): Record<string, string> | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const entries = Object.entries(value).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}
