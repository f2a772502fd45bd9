/** Runs tasks of one key at most `width` at a time, the others in their order of arrival. */
export class RequestQueue {
  private readonly lanes = new Map<string, { running: number; waiting: (() => void)[] }>();

  constructor(private readonly width: number) {}

  async run<T>(key: string, task: () => Promise<T>): Promise<T> {
    await this.enter(key);
    try {
      return await task();
    } finally {
      this.leave(key);
    }
  }

  private async enter(key: string): Promise<void> {
    const lane = this.lanes.get(key) ?? { running: 0, waiting: [] };
    this.lanes.set(key, lane);
    if (lane.running < this.width) {
      lane.running += 1;
      return;
    }
    // The slot of whoever leaves is handed over, so that nobody overtakes.
    await new Promise<void>((resolve) => lane.waiting.push(resolve));
  }

  private leave(key: string): void {
    const lane = this.lanes.get(key);
    if (!lane) return;
    const next = lane.waiting.shift();
    if (next) next();
    else if (lane.running === 1) this.lanes.delete(key);
    else lane.running -= 1;
  }
}
