import type { Masker } from './masking.rules.js';
import { type LogChunk, type RunnerCalls, RunIsOver, type Scope, type StepReport } from './protocol.js';

const FLUSH_INTERVAL_MS = 1_000;
const MAX_CHUNK_CHARACTERS = 256_000;

/** Numbers and sends what a run reports. The numbers make a report that is sent again harmless. */
export class Reports {
  private nextStep = 0;
  private nextChunk = 0;
  private waiting: LogChunk[] = [];
  private sending: Promise<void> = Promise.resolve();
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly calls: RunnerCalls,
    private readonly masker: Masker,
    /** the run is over: whoever works on it stops */
    private readonly onOver: (error: RunIsOver) => void,
  ) {
    this.timer = setInterval(() => void this.flush(), FLUSH_INTERVAL_MS);
  }

  async step(report: Omit<StepReport, 'seq'>): Promise<void> {
    const masked = this.masker.maskAll(report);
    await this.guarded(() => this.calls.steps([{ ...masked, seq: this.nextStep++ }]));
  }

  /** A writer for what one process prints; masked across the edges of its chunks. */
  writer(scope: Scope | undefined): { write(text: string): void; end(): void } {
    const place = scope?.type === 'dirspace' ? { dir: scope.dir, workspace: scope.workspace } : {};
    return this.masker.stream((text) => {
      process.stdout.write(text);
      const last = this.waiting.at(-1);
      if (
        last &&
        last.dir === place.dir &&
        last.workspace === place.workspace &&
        last.text.length < MAX_CHUNK_CHARACTERS
      )
        last.text += text;
      else this.waiting.push({ seq: this.nextChunk++, ...place, text });
    });
  }

  async flush(): Promise<void> {
    const chunks = this.waiting;
    this.waiting = [];
    if (chunks.length > 0)
      // The live log is a convenience: a chunk that cannot be sent is dropped.
      this.sending = this.sending.then(() =>
        this.guarded(() => this.calls.logs(chunks)).catch(() => undefined),
      );
    await this.sending;
  }

  async end(): Promise<void> {
    clearInterval(this.timer);
    await this.flush();
  }

  private async guarded(send: () => Promise<void>): Promise<void> {
    try {
      await send();
    } catch (error) {
      if (!(error instanceof RunIsOver)) throw error;
      this.onOver(error);
    }
  }
}
