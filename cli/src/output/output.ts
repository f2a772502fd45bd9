import { once } from 'node:events';
import type { Failure } from '../failure.js';
import type { Streams } from '../streams.js';
import { printable } from './printable.rules.js';

/** stdout carries the result, one JSON document with `--json`; stderr carries everything said to people. */
export class Output {
  private begun = false;

  constructor(
    private readonly streams: Pick<Streams, 'stdout' | 'stderr'>,
    readonly json: boolean,
  ) {}

  /** Whether a person watches stdout. */
  get terminal(): boolean {
    return this.streams.stdout.isTTY === true;
  }

  /** Columns of the terminal; undefined when stdout is none. */
  get width(): number | undefined {
    return this.terminal ? this.streams.stdout.columns : undefined;
  }

  /** The result of the command: `value` with `--json`, else what `human` makes of it. */
  async result(value: unknown, human: () => string): Promise<void> {
    await this.write(this.json ? `${JSON.stringify(value, null, 2)}\n` : withNewline(human()));
  }

  /** Bytes or text to stdout as they are; waits while the reader is slower. */
  async write(part: string | Uint8Array): Promise<void> {
    if (part.length === 0) return;
    this.begun = true;
    if (!this.streams.stdout.write(part)) await once(this.streams.stdout, 'drain');
  }

  /** One thing said to people. */
  printNote(text: string): void {
    this.streams.stderr.write(`${printable(text)}\n`);
  }

  /** Text for stderr as it is, such as a program's own output. */
  progress(text: string | Uint8Array): void {
    this.streams.stderr.write(text);
  }

  async failure(failure: Failure): Promise<void> {
    const { id, message, hint } = failure;
    this.printNote(`infrastate: ${id}: ${message}${hint ? ` (${hint})` : ''}`.replace(/\s*\n\s*/g, ' '));
    // After half a document nothing more is said there: what is cut off cannot be taken for a whole.
    if (this.json && !this.begun)
      await this.write(`${JSON.stringify({ error: { id, data: message } }, null, 2)}\n`);
  }
}

function withNewline(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}
