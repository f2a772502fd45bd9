import { HeldText } from './held-text.js';
import { KeptOutput } from './kept-output.js';
import { addJsonText, listJson, maskedJson } from './masked-json.js';
import type { Masker } from './masking.rules.js';
import { type LogChunk, type RunnerCalls, RunIsOver, type Scope, type StepReport } from './protocol.js';

const FLUSH_INTERVAL_MS = 1_000;
const MAX_CHUNK_CHARACTERS = 256_000;
/** Of one request. */
const MAX_SENT_CHARACTERS = 500_000;
/** Of one request; the service refuses more. */
const MAX_SENT_CHUNKS = 1_000;
/** Output that waits to be sent; a program that prints faster waits too. */
const MAX_WAITING_CHARACTERS = 1_000_000;
/** After this time the program goes on printing, and what it prints is missing in the live log. */
const MAX_PAUSE_MS = 10_000;

type Place = Omit<LogChunk, 'seq' | 'text'>;

/** A chunk of the log until it is sent; its text is held as JSON. */
class WaitingChunk {
  characters = 0;
  private readonly text = new HeldText();

  constructor(
    private readonly seq: number,
    readonly place: Place,
    text: string,
  ) {
    this.add(text);
  }

  add(text: string): void {
    this.characters += text.length;
    addJsonText(this.text, text);
  }

  json(): Buffer[] {
    const empty = JSON.stringify({ seq: this.seq, ...this.place, text: '' } satisfies LogChunk);
    return [Buffer.from(empty.slice(0, -2)), ...this.text.parts(), Buffer.from('"}')];
  }
}

/** Numbers and sends what a run reports. The numbers make a report that is sent again harmless. */
export class Reports {
  private nextStep = 0;
  private nextChunk = 0;
  private waiting: WaitingChunk[] = [];
  private waitingCharacters = 0;
  private isStuck = false;
  private sending: Promise<void> = Promise.resolve();
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly calls: RunnerCalls,
    private readonly masker: Masker,
    /** the run is over: whoever works on it stops */
    private readonly onOver: (error: RunIsOver) => void,
    /** why the run was stopped, which is said of everything that fails from then on */
    private readonly whyStopped: () => string | undefined = () => undefined,
  ) {
    this.timer = setInterval(() => void this.flush(), FLUSH_INTERVAL_MS);
  }

  async step(report: Omit<StepReport, 'seq'>): Promise<void> {
    const reason = report.state === 'failure' ? this.whyStopped() : undefined;
    const payload = reason === undefined ? report.payload : withReason(report.payload, reason);
    const json = maskedJson({ ...report, payload, seq: this.nextStep++ } satisfies StepReport, this.masker);
    await this.guarded(() => this.calls.steps(listJson('steps', [json])));
  }

  /**
   * A writer for what one process prints; masked across the edges of its chunks. What `write` answers ends when more may
   * be printed.
   */
  writer(scope: Scope | undefined): { write(text: string): Promise<void> | undefined; end(): void } {
    const place = scope?.type === 'dirspace' ? { dir: scope.dir, workspace: scope.workspace } : {};
    const masked = this.masker.stream((text) => this.print(place, text));
    return {
      write: (text) => {
        masked.write(text);
        return this.waitingCharacters < MAX_WAITING_CHARACTERS || this.isStuck ? undefined : this.drain();
      },
      end: () => masked.end(),
    };
  }

  async flush(): Promise<void> {
    const chunks = this.waiting;
    this.waiting = [];
    if (chunks.length > 0) this.sending = this.sending.then(() => this.send(chunks));
    await this.sending;
  }

  private print(place: Place, text: string): void {
    process.stdout.write(text);
    if (this.isStuck && this.waitingCharacters >= MAX_WAITING_CHARACTERS) return;
    this.waitingCharacters += text.length;
    const last = this.waiting.at(-1);
    if (
      last &&
      last.place.dir === place.dir &&
      last.place.workspace === place.workspace &&
      last.characters < MAX_CHUNK_CHARACTERS
    )
      last.add(text);
    else this.waiting.push(new WaitingChunk(this.nextChunk++, place, text));
  }

  /** The live log is a convenience: a service that cannot be reached does not hold up the program for long. */
  private async drain(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const isSent = await Promise.race([
      this.flush().then(() => true),
      new Promise<boolean>((resolve) => (timer = setTimeout(resolve, MAX_PAUSE_MS, false))),
    ]);
    clearTimeout(timer);
    this.isStuck = !isSent;
  }

  /** A chunk that cannot be sent is dropped. */
  private async send(chunks: WaitingChunk[]): Promise<void> {
    while (chunks.length > 0) {
      let sum = 0;
      const count = chunks.findIndex(
        ({ characters }, n) => n === MAX_SENT_CHUNKS || (sum += characters) > MAX_SENT_CHARACTERS,
      );
      const part = chunks.splice(0, count === -1 ? chunks.length : Math.max(1, count));
      const json = part.map((chunk) => chunk.json());
      await this.guarded(() => this.calls.logs(listJson('chunks', json))).catch(() => undefined);
      for (const { characters } of part) this.waitingCharacters -= characters;
    }
    this.isStuck = false;
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

/** The reason comes first: of a long text people may see the beginning only. */
function withReason(payload: StepReport['payload'], reason: string): StepReport['payload'] {
  const { text: said } = payload;
  const text = said instanceof KeptOutput ? said.both : said;
  return { ...payload, text: typeof text === 'string' && text !== '' ? `${reason}\n\n${text}` : reason };
}
