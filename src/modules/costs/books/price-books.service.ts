import { statSync } from 'node:fs';
import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { loadPriceBook, type PriceBook, priceBookFiles, SHIPPED_PRICE_BOOK } from '../../pricing/index.js';
import { CostMetrics } from './cost-metrics.js';

const RELOAD_INTERVAL_MS = 60_000;

/** What `/readyz` answers. */
export interface BookStatus {
  version?: string;
  generated_at?: string;
  prices?: number;
  /** why the newest attempt to load a book failed */
  error?: string;
}

/** The price book in force: loaded at start, again when a file changes, and always swapped as a whole. */
@Injectable()
export class PriceBooks implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger('PriceBook');
  private book: PriceBook | undefined;
  private failure: string | undefined;
  /** paths, sizes and times of the files that were read last */
  private stamp = '';
  private loading: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly config: Config,
    private readonly metrics: CostMetrics,
  ) {}

  /** The start does not wait for the book: `/readyz` tells when it is there. */
  onApplicationBootstrap(): void {
    if (!this.config.get('SERVICE_COST_ENABLED')) return;
    void this.reload();
    this.timer = setInterval(() => void this.reload(), RELOAD_INTERVAL_MS).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  /** The book in force, once one is loaded; undefined when none can be. */
  async current(): Promise<PriceBook | undefined> {
    if (this.book === undefined) await this.reload();
    return this.book;
  }

  get status(): BookStatus {
    return {
      ...(this.book === undefined
        ? {}
        : {
            version: this.book.version,
            generated_at: this.book.generatedAt,
            prices: this.book.size,
          }),
      ...(this.failure === undefined ? {} : { error: this.failure }),
    };
  }

  /** Looks at the files and reads them when they changed. A broken book leaves the one in force. */
  reload(): Promise<void> {
    this.loading ??= this.loadChanged().finally(() => {
      this.loading = undefined;
    });
    return this.loading;
  }

  private async loadChanged(): Promise<void> {
    const paths = this.config
      .get('SERVICE_COST_PRICE_BOOK')
      .split(',')
      .map((path) => path.trim())
      .filter((path) => path !== '');
    try {
      const stamp = stampOf(paths);
      if (stamp === this.stamp) {
        // A broken file is gone again: the book in force is what the files say.
        this.failure = undefined;
        return;
      }
      const book = await loadPriceBook(paths);
      this.stamp = stamp;
      this.failure = undefined;
      this.book = book;
      this.metrics.bookPrices.set(book.size);
      this.metrics.bookDate.set((Date.parse(book.generatedAt) || 0) / 1000);
      this.logger.log({ msg: 'price book loaded', version: book.version, prices: book.size });
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'price book cannot be read';
      this.metrics.bookFailures.inc();
      if (this.failure !== reason)
        this.logger.error({ msg: 'price book not loaded', reason, keepsOlder: this.book !== undefined });
      this.failure = reason;
    }
  }
}

function stampOf(paths: readonly string[]): string {
  return [SHIPPED_PRICE_BOOK, ...priceBookFiles(paths)]
    .map((path) => {
      const { size, mtimeMs, ino } = statSync(path);
      return `${path} ${size} ${mtimeMs} ${ino}`;
    })
    .join('\n');
}
