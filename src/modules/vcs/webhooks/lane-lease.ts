const RENEW_MS = 20_000;

/** The lease of a lane while it is worked on: renewed now and then, and `signal` aborts once it is lost. */
export class LaneLease {
  private readonly lost = new AbortController();
  private readonly timer: NodeJS.Timeout;
  private renewedAt = performance.now();

  /** `renew` answers false when somebody else has the lane. */
  constructor(private readonly renew: () => Promise<boolean>) {
    this.timer = setInterval(() => void this.extend().catch(() => undefined), RENEW_MS);
  }

  get signal(): AbortSignal {
    return this.lost.signal;
  }

  /** Before a delivery: a process that was held up renews first, as its lease may have ended meanwhile. */
  async isHeld(): Promise<boolean> {
    if (performance.now() - this.renewedAt > RENEW_MS) await this.extend();
    return !this.lost.signal.aborted;
  }

  end(): void {
    clearInterval(this.timer);
  }

  private async extend(): Promise<void> {
    if (await this.renew()) this.renewedAt = performance.now();
    else this.lost.abort();
  }
}
