import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { Clock } from '../../../platform/time/clock.js';
import type { BillingSourceEntity } from '../entities/billing-source.entity.js';
import { BillingReader } from '../reading/billing-reader.js';
import { FileProblem } from '../reading/reader-messages.js';
import { SourcePermissions } from '../sources/source-permissions.js';
import { type BillingStore, StoreFailure } from '../stores/billing-store.js';
import { BillingStores } from '../stores/billing-stores.js';
import { type ChosenObject, chooseObjects } from '../stores/chosen-objects.rules.js';
import { ByteBudget, downloadObject } from '../stores/object-download.js';
import { defaultWindowStart, windowEnd } from './sync-window.rules.js';

/** A reason for users, with the file it is about. */
export class SyncFailure extends Error {}

export interface GatheredFiles {
  /** CSV of `GATHERED_COLUMNS` */
  file: string;
  from: string;
  lines: number;
  files: number;
  months: string[];
}

/** Fetches the files of a source, one after the other, and sums up their lines in the reading process. */
@Injectable()
export class SourceFiles {
  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly permissions: SourcePermissions,
    private readonly stores: BillingStores,
  ) {}

  /** Throws a `SyncFailure`, or an `AppError` when the address is not the tenant's any more. */
  async gather(source: BillingSourceEntity, folder: string, signal: AbortSignal): Promise<GatheredFiles> {
    const named = { tenantId: source.tenantId, uri: source.sourceUri, isOperators: source.namedByOperator };
    const address = this.permissions.require(named);
    const fileFence = this.permissions.fileFence(named);
    const store = await translated(undefined, async () =>
      this.stores.open(address, { region: source.region, fileFence }),
    );
    const chosen = chooseObjects(await translated(undefined, () => store.list(signal)));
    if (chosen.length === 0)
      throw new SyncFailure('no billing file (.csv, .csv.gz or .parquet) matches the address');
    const now = this.clock.now();
    const from = source.requestedWindowStart ?? defaultWindowStart(now, source.windowMonths);
    const reader = BillingReader.start(folder, this.limits(), signal);
    try {
      const budget = new ByteBudget(this.config.get('SERVICE_BILLING_MAX_SYNC_SIZE'));
      let lines = 0;
      for (const { object, kind } of chosen) {
        const window = { provider: source.provider, from, until: windowEnd(now) };
        const path = join(folder, `file.${kind === 'parquet' ? 'parquet' : 'csv'}`);
        lines += await translated(object.name, async () => {
          await this.fetch({ object, kind }, store, { path, budget, signal });
          return reader.read({ file: path, kind: kind === 'parquet' ? 'parquet' : 'csv', ...window });
        });
        await rm(path, { force: true });
      }
      const file = join(folder, 'sums.csv');
      const { months } = await translated(undefined, () => reader.write(file));
      return { file, from, lines, files: chosen.length, months };
    } finally {
      await reader.close();
    }
  }

  private async fetch(
    { object, kind }: ChosenObject,
    store: BillingStore,
    to: { path: string; budget: ByteBudget; signal: AbortSignal },
  ): Promise<void> {
    const from = await store.open(object, to.signal);
    const silenceMs = this.config.get('SERVICE_BILLING_STORE_SECONDS') * 1_000;
    await downloadObject({ from, isPacked: kind === 'csv.gz', size: object.size, silenceMs, ...to });
  }

  private limits() {
    return {
      memoryBytes: this.config.get('SERVICE_BILLING_READER_MEMORY'),
      timeMs: this.config.get('SERVICE_BILLING_READER_SECONDS') * 1_000,
    };
  }
}

/** Puts the file's name before what stores and readers say of it. */
async function translated<T>(name: string | undefined, task: () => Promise<T>): Promise<T> {
  try {
    return await task();
  } catch (error) {
    if (!(error instanceof FileProblem) && !(error instanceof StoreFailure)) throw error;
    throw new SyncFailure(name === undefined ? error.message : `${name}: ${error.message}`);
  }
}
