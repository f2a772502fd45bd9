import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/index.js';
import { Clock } from '../../../platform/time/clock.js';
import { BearerToken } from './bearer-token.js';
import { checkedResource } from '../clouds/checked-resource.rules.js';
import { listedPages, listingsFrom } from '../clouds/listed-pages.js';
import {
  type AzureSettings,
  type CloudDescription,
  CloudFailure,
  type CloudInventory,
  type CloudResource,
  type ScanPart,
  type ScanPosition,
} from '../clouds/cloud-inventory.js';
import { type CloudRequest, urlBelow } from '../clouds/cloud-rest.js';

const ROWS_PER_PAGE = 1_000;
const LOGIN_HOST = 'https://login.microsoftonline.com';
const MANAGEMENT_HOST = 'https://management.azure.com';
const TOKEN_SCOPE = 'https://management.azure.com/.default';
const API_VERSION = '2022-10-01';
const QUERY = 'Microsoft.ResourceGraph/resources';
/** What Terraform types are told apart by. */
const ATTRIBUTES = ['kind', 'osType', 'orchestrationMode'] as const;
const COLUMNS =
  'id, name, type, location, resourceGroup, subscriptionId, tags, kind, ' +
  'osType = tostring(coalesce(properties.storageProfile.osDisk.osType, properties.virtualMachineProfile.storageProfile.osDisk.osType)), orchestrationMode = tostring(properties.orchestrationMode)';
/** Sorted, because pages of an unsorted query can overlap. */
const QUERIES = [
  `Resources | project ${COLUMNS} | order by id asc`,
  `ResourceContainers | where type =~ 'microsoft.resources/subscriptions/resourcegroups' | project ${COLUMNS} | order by id asc`,
];
const SHORT_TYPES: Readonly<Record<string, string>> = {
  'microsoft.resources/subscriptions/resourcegroups': 'microsoft.resources/resourcegroups',
};

/** Azure by Resource Graph, with a token for client credentials. */
@Injectable()
export class AzureInventory implements CloudInventory<AzureSettings> {
  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  async describe(settings: AzureSettings, signal: AbortSignal): Promise<CloudDescription> {
    const [query = ''] = QUERIES;
    const request = this.query(settings, signal, { query, rows: 1 });
    await this.token(settings, signal, 1).json({ ...request, maxAttempts: 1 });
    return { status: 'ready', isReady: true, aggregatorRegion: null, indexedRegions: [], warnings: [] };
  }

  async *scan(
    settings: AzureSettings,
    signal: AbortSignal,
    from: ScanPosition | undefined,
  ): AsyncGenerator<ScanPart, void> {
    const token = this.token(settings, signal);
    for (const { part: query, page: first } of listingsFrom(QUERIES, (text) => text, from)) {
      const read = async (skipToken: string | undefined) => {
        const page = await token.json(
          this.query(settings, signal, { query, rows: ROWS_PER_PAGE, skipToken }),
        );
        const { data, $skipToken: next, resultTruncated: isTruncated } = page;
        if (!Array.isArray(data)) throw new CloudFailure('INVALID_RESPONSE', { action: QUERY });
        if (isTruncated === 'true' && (next === undefined || next === null || next === ''))
          throw new CloudFailure('INVALID_RESPONSE', {
            action: QUERY,
            message: 'the cloud truncated a list without a page token',
          });
        return { items: data.map(resourceOf), next };
      };
      for await (const { items: resources, next } of listedPages(QUERY, read, first))
        yield { resources, position: { listing: query, page: next } };
    }
  }

  private token(settings: AzureSettings, signal: AbortSignal, maxAttempts?: number): BearerToken {
    const base = this.config.get('SERVICE_AZURE_ENDPOINT_URL') ?? LOGIN_HOST;
    const { directoryId, clientId, clientSecret } = settings;
    const form = {
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: clientSecret,
      scope: TOKEN_SCOPE,
    };
    return new BearerToken(this.clock, async () => ({
      action: 'oauth2:token',
      url: urlBelow(base, `/${directoryId}/oauth2/v2.0/token`),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(form).toString(),
      signal,
      ...(maxAttempts === undefined ? {} : { maxAttempts }),
    }));
  }

  private query(
    { subscriptions }: AzureSettings,
    signal: AbortSignal,
    { query, rows, skipToken }: { query: string; rows: number; skipToken?: string | undefined },
  ): CloudRequest {
    const base = this.config.get('SERVICE_AZURE_ENDPOINT_URL') ?? MANAGEMENT_HOST;
    const options = {
      $top: rows,
      resultFormat: 'objectArray',
      ...(skipToken === undefined ? {} : { $skipToken: skipToken }),
    };
    return {
      action: QUERY,
      url: urlBelow(base, `/providers/${QUERY}?api-version=${API_VERSION}`),
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ subscriptions, query, options }),
      signal,
    };
  }
}

function resourceOf(value: unknown): CloudResource {
  const row = (value ?? {}) as Record<string, unknown>;
  const id = textOf(row['id']) ?? '';
  const type = (textOf(row['type']) ?? '').toLowerCase();
  const resourceType = SHORT_TYPES[type] ?? type;
  if (!id.toLowerCase().startsWith('/subscriptions/') || !resourceType.includes('/'))
    throw new CloudFailure('INVALID_RESPONSE', { action: QUERY });
  const attributes = ATTRIBUTES.flatMap((name) => {
    const text = textOf(row[name]);
    return text === undefined ? [] : [[name, text] as const];
  });
  return checkedResource(
    {
      id,
      service: resourceType.slice(0, resourceType.indexOf('/')),
      resourceType,
      name: textOf(row['name']),
      region: textOf(row['location']),
      account: textOf(row['subscriptionId']),
      tags: textsOf(row['tags']),
      attributes: attributes.length === 0 ? undefined : Object.fromEntries(attributes),
    },
    QUERY,
  );
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
