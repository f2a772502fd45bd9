import { Injectable } from '@nestjs/common';
import type { Index, Resource } from '@aws-sdk/client-resource-explorer-2';
import { Config } from '../../../platform/config/index.js';
import { Clock } from '../../../platform/time/clock.js';
import { AwsClients } from './aws-clients.js';
import { AwsDefaults } from './aws-defaults.js';
import { checkedResource } from '../clouds/checked-resource.rules.js';
import {
  AWS_REGION,
  type AwsSettings,
  type CloudDescription,
  CloudFailure,
  type CloudInventory,
  type CloudResource,
  type CloudWarning,
  type ScanPart,
  type ScanPosition,
  warningOf,
} from '../clouds/cloud-inventory.js';
import { type FollowedPage, listedPages, listingsFrom } from '../clouds/listed-pages.js';

/** With exactly 1,000 rows a page the service answers no further token. */
const ROWS_PER_PAGE = 999;
const LIST = 'resource-explorer-2:ListResources';
const LIST_INDEXES = 'resource-explorer-2:ListIndexes';

/** Whose pages are read: one view in each region. */
interface ReadView {
  region: string;
  viewArn: string;
}
interface Indexes {
  /** sorted */
  regions: string[];
  aggregator: string | undefined;
}

/** AWS by Resource Explorer: one aggregator, or each indexed region by itself. */
@Injectable()
export class AwsInventory implements CloudInventory<AwsSettings> {
  constructor(
    private readonly config: Config,
    private readonly defaults: AwsDefaults,
    private readonly clock: Clock,
  ) {}

  async describe(settings: AwsSettings, signal: AbortSignal): Promise<CloudDescription> {
    const clients = await this.clients(settings, { requestTimeoutMs: 4_000, maxAttempts: 2, signal });
    try {
      const { regions, aggregator } = await this.indexes(clients);
      const warnings: CloudWarning[] = [];
      const [first] = aggregator === undefined ? regions : [aggregator];
      if (first === undefined) warnings.push(warningOf('NO_INDEX'));
      else {
        if (aggregator === undefined) warnings.push(warningOf('NO_AGGREGATOR'));
        const [views, tellsDefaults] = await Promise.all([
          this.views(clients, aggregator === undefined ? regions : [aggregator]),
          this.defaults.areTold(clients, first),
        ]);
        if (views.length === 0) warnings.push(warningOf('NO_VIEW'));
        if (!tellsDefaults) warnings.push(warningOf('DEFAULTS_NOT_TOLD'));
      }
      const isReady = !warnings.some(({ code }) => code === 'NO_INDEX' || code === 'NO_VIEW');
      const isWhole = isReady && aggregator !== undefined;
      return {
        status: isWhole ? 'ready' : 'partial',
        isReady,
        aggregatorRegion: aggregator ?? null,
        indexedRegions: regions,
        warnings,
      };
    } finally {
      clients.destroy();
    }
  }

  async *scan(
    settings: AwsSettings,
    signal: AbortSignal,
    from: ScanPosition | undefined,
  ): AsyncGenerator<ScanPart, void> {
    const clients = await this.clients(settings, { requestTimeoutMs: 30_000, maxAttempts: 5, signal });
    try {
      const { regions, aggregator } = await this.indexes(clients);
      const views = await this.views(clients, aggregator === undefined ? regions : [aggregator]);
      if (views.length === 0)
        throw new CloudFailure('NOT_READY', { action: 'resource-explorer-2:GetDefaultView' });
      const withDefaults = new Set(from?.seen);
      for (const { part: view, page } of listingsFrom(views, ({ viewArn }) => viewArn, from))
        for await (const { items: resources, next } of this.pages(clients, view, page)) {
          for (const { region, resourceType } of resources)
            if (region !== undefined && DEFAULT_TYPES.has(resourceType) && AWS_REGION.test(region))
              withDefaults.add(region);
          yield { resources, position: { listing: view.viewArn, page: next, seen: [...withDefaults] } };
        }
      for (const region of [...withDefaults].sort()) yield* this.defaults.list(clients, region);
    } finally {
      clients.destroy();
    }
  }

  private async clients(
    settings: AwsSettings,
    options: { requestTimeoutMs: number; maxAttempts: number; signal: AbortSignal },
  ): Promise<AwsClients> {
    return AwsClients.open(settings, {
      ...options,
      clock: this.clock,
      endpoint: this.config.get('SERVICE_AWS_ENDPOINT_URL'),
    });
  }

  private async indexes(clients: AwsClients): Promise<Indexes> {
    const { ListIndexesCommand, GetIndexCommand } = clients.sdk.explorer;
    const explorer = clients.explorer(clients.homeRegion);
    const found: Index[] = [];
    const read = async (token: string | undefined) => {
      const input = token === undefined ? {} : { NextToken: token };
      const page = await clients.call(LIST_INDEXES, (abort) =>
        explorer.send(new ListIndexesCommand(input), abort),
      );
      return { items: page.Indexes ?? [], next: page.NextToken };
    };
    for await (const { items } of listedPages(LIST_INDEXES, read)) found.push(...items);
    const regions = [...new Set(found.flatMap(({ Region: region }) => regionOf(region)))].sort();
    const [candidate] = found.flatMap(({ Type: type, Region: region }) =>
      type === 'AGGREGATOR' ? regionOf(region) : [],
    );
    if (candidate === undefined) return { regions, aggregator: undefined };
    const { State: state } = await clients.call('resource-explorer-2:GetIndex', (abort) =>
      clients.explorer(candidate).send(new GetIndexCommand({}), abort),
    );
    // While it is updated it still answers.
    return { regions, aggregator: state === 'ACTIVE' || state === 'UPDATING' ? candidate : undefined };
  }

  /** The default views of these regions; regions without one are left out. */
  private async views(clients: AwsClients, regions: readonly string[]): Promise<ReadView[]> {
    const { GetDefaultViewCommand } = clients.sdk.explorer;
    const found = await Promise.all(
      regions.map(async (region) => {
        const { ViewArn: viewArn } = await clients.call('resource-explorer-2:GetDefaultView', (abort) =>
          clients.explorer(region).send(new GetDefaultViewCommand({}), abort),
        );
        return viewArn === undefined || viewArn === '' ? [] : [{ region, viewArn }];
      }),
    );
    return found.flat();
  }

  private async *pages(
    clients: AwsClients,
    { region, viewArn }: ReadView,
    from: string | undefined,
  ): AsyncGenerator<FollowedPage<CloudResource[]>> {
    const { ListResourcesCommand } = clients.sdk.explorer;
    const explorer = clients.explorer(region);
    const read = async (token: string | undefined) => {
      const input = {
        ViewArn: viewArn,
        MaxResults: ROWS_PER_PAGE,
        ...(token === undefined ? {} : { NextToken: token }),
      };
      const page = await clients.call(LIST, (abort) => explorer.send(new ListResourcesCommand(input), abort));
      if (!Array.isArray(page.Resources)) throw new CloudFailure('INVALID_RESPONSE', { action: LIST });
      return { items: page.Resources.map(resourceOf), next: page.NextToken };
    };
    yield* listedPages(LIST, read, from);
  }
}

/** Types of which the cloud makes some itself. */
const DEFAULT_TYPES: ReadonlySet<string> = new Set(['ec2:vpc', 'kms:key']);

/** A region becomes a part of a host name, so only names of regions are taken. */
function regionOf(region: string | undefined): string[] {
  return region !== undefined && AWS_REGION.test(region) ? [region] : [];
}

function resourceOf({
  Arn: arn = '',
  Region,
  OwningAccountId,
  ResourceType,
  Service,
  Properties,
}: Resource): CloudResource {
  const service = Service ?? arn.split(':')[2] ?? '';
  const data: unknown = Properties?.find(({ Name }) => Name === 'tags')?.Data;
  return checkedResource(
    {
      id: arn.startsWith('arn:') ? arn : '',
      service,
      resourceType: ResourceType ?? service,
      region: Region,
      account: OwningAccountId,
      tags: tagsOf(data),
    },
    LIST,
  );
}

function tagsOf(data: unknown): Record<string, string> | undefined {
  if (!Array.isArray(data) || data.length === 0) return undefined;
  const entries = data.flatMap((tag: unknown) => {
    const { Key: key, Value: value } = (tag ?? {}) as { Key?: unknown; Value?: unknown };
    return typeof key === 'string' ? [[key, typeof value === 'string' ? value : ''] as const] : [];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}
