import { Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Config } from '../../../platform/config/index.js';
import { describeFailure } from '../../../platform/errors/index.js';
import { Clock } from '../../../platform/time/clock.js';
import { CloudAccess, type TenantCloud } from './cloud-access.js';
import { type CloudDescription, CloudFailure, describedFailure } from '../clouds/cloud-inventory.js';
import type { CloudOf } from '../inventory/gap-scans.store.js';
import { withDeadline } from '../../../platform/time/deadline.js';

/** The route answers within 5 s, whatever the cloud does. */
const TIMEOUT_MS = 4_500;
const MAX_CACHED = 1_000;

interface Cached {
  description: Promise<CloudDescription>;
  at: number;
}

/** What clouds say of themselves, kept for `SERVICE_GAPS_FRESH_SECONDS`. */
@Injectable()
export class CloudDescriptions {
  private readonly logger = new Logger('GapDescriptions');
  private readonly cached = new LRUCache<string, Cached>({ max: MAX_CACHED });

  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly access: CloudAccess,
  ) {}

  /** Never throws for what a cloud does: a refusal is a description too. Callers at the same time share one question. */
  async describe(of: CloudOf, cloud: TenantCloud): Promise<CloudDescription> {
    const key = `${of.tenantId} ${of.provider} ${cloud.version}`;
    const now = this.clock.now().getTime();
    const known = this.cached.get(key);
    if (known && now - known.at <= this.config.get('SERVICE_GAPS_FRESH_SECONDS') * 1_000)
      return known.description;
    const description = this.ask(cloud);
    this.cached.set(key, { description, at: now });
    return description;
  }

  private async ask(cloud: TenantCloud): Promise<CloudDescription> {
    const stop = new AbortController();
    return withDeadline(this.described(cloud, stop.signal), TIMEOUT_MS, () => {
      stop.abort();
      return describedFailure(new CloudFailure('UNREACHABLE'));
    });
  }

  private async described(cloud: TenantCloud, signal: AbortSignal): Promise<CloudDescription> {
    try {
      return await this.access.describe(cloud.settings, signal);
    } catch (error) {
      if (error instanceof CloudFailure) return describedFailure(error);
      this.logger.error({
        msg: 'could not describe a cloud',
        provider: cloud.settings.provider,
        ...describeFailure(error),
      });
      return describedFailure(new CloudFailure('CLOUD_ERROR'));
    }
  }
}
