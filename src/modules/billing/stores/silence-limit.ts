import { storeFailures } from './billing-store.js';

/** Aborts a request once the store has sent nothing for `limitMs`, however long the whole answer takes. */
export class SilenceLimit {
  private readonly over = new AbortController();
  private readonly timer: NodeJS.Timeout;
  /** aborted by the caller's signal too */
  readonly signal: AbortSignal;

  private constructor(outer: AbortSignal, limitMs: number) {
    this.timer = setTimeout(() => this.over.abort(storeFailures.slow()), limitMs);
    this.signal = AbortSignal.any([outer, this.over.signal]);
  }

  /** Throws the `StoreFailure` for slow stores in place of what the aborted request throws. */
  static async run<T>(
    outer: AbortSignal,
    limitMs: number,
    task: (limit: SilenceLimit) => Promise<T>,
  ): Promise<T> {
    const limit = new SilenceLimit(outer, limitMs);
    try {
      return await task(limit);
    } catch (error) {
      throw limit.over.signal.aborted ? limit.over.signal.reason : error;
    } finally {
      clearTimeout(limit.timer);
    }
  }

  /** The store sent something: the time begins again. */
  restart(): void {
    this.timer.refresh();
  }
}
