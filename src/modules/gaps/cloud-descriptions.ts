import { Injectable, Logger } from '@nestjs/common';
import { Config } from '../../platform/config/index.js';
import { describeFailure } from '../../platform/errors/index.js';
import { Clock } from '../../platform/time/clock.js';
import { CloudAccess, type TenantCloud } from './cloud-access.js';
import { type CloudDescription, CloudFailure, describedFailure } from './cloud-inventory.js';
import type { CloudOf } from './gap-scans.store.js';

/** The route answers within 5 s, whatever the cloud does. */
const TIMEOUT_MS = 4_500;
const MAX_KEPT = 1_000;

interface Kept {
  description: Promise<CloudDescription>;
  at: number;
}

/** What clouds say of themselves, kept for `SERVICE_GAPS_FRESH_SECONDS`. */
@Injectable()
export class CloudDescriptions {
  private readonly logger = new Logger('GapDescriptions');
  private readonly kept = new Map<string, Kept>();

  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly access: CloudAccess,
  ) {}

  /** Never throws for what a cloud does: a refusal is a description too. Callers at the same time share one question. */
  async describe(of: CloudOf, cloud: TenantCloud): Promise<CloudDescription> {
    const key = `${of.tenantId} ${of.provider} ${cloud.version}`;
    const now = this.clock.now().getTime();
    const known = this.kept.get(key);
    if (known && now - known.at <= this.config.get('SERVICE_GAPS_FRESH_SECONDS') * 1_000)
      return known.description;
    const description = this.ask(cloud);
    this.kept.delete(key);
    this.kept.set(key, { description, at: now });
    for (const oldest of this.kept.keys()) {
      if (this.kept.size <= MAX_KEPT) break;
      this.kept.delete(oldest);
    }
    return description;
  }

  private async ask(cloud: TenantCloud): Promise<CloudDescription> {
    const stop = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<CloudDescription>((resolve) => {
      timer = setTimeout(() => {
        stop.abort();
        resolve(describedFailure(new CloudFailure('UNREACHABLE')));
      }, TIMEOUT_MS);
    });
    try {
      return await Promise.race([this.described(cloud, stop.signal), timeout]);
    } finally {
      clearTimeout(timer);
    }
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
