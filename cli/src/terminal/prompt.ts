import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { Failure } from '../failure.js';
import { printable } from '../output/printable.rules.js';
import type { Streams } from '../streams.js';

/** Asks on stderr and reads from stdin, a terminal or lines in a pipe. Close it, or the program does not end. */
export class Prompt {
  private readonly lines: AsyncIterator<string> | undefined;
  private readonly reader;
  private echo = true;

  constructor(private readonly streams: Pick<Streams, 'stdin' | 'stderr'>) {
    const output = new Writable({
      write: (part: Buffer, _encoding, done) => {
        if (this.echo) streams.stderr.write(part);
        done();
      },
    });
    this.reader = createInterface({
      input: streams.stdin,
      output,
      terminal: streams.stdin.isTTY === true,
      historySize: 0,
    });
    // Questions would lose the lines of a pipe that arrive before they are asked.
    this.lines = streams.stdin.isTTY ? undefined : this.reader[Symbol.asyncIterator]();
  }

  async ask(question: string): Promise<string> {
    if (!this.lines) return this.typed(printable(question));
    this.streams.stderr.write(printable(question));
    const line = await this.lines.next();
    this.streams.stderr.write('\n');
    if (line.done) throw cancelled();
    return line.value;
  }

  /** What is typed is not shown. */
  async askSecret(question: string): Promise<string> {
    if (this.lines) return this.ask(question);
    this.streams.stderr.write(printable(question));
    this.echo = false;
    try {
      return await this.typed('');
    } finally {
      this.echo = true;
      this.streams.stderr.write('\n');
    }
  }

  close(): void {
    this.reader.close();
  }

  private typed(question: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const closed = (): void => reject(cancelled());
      this.reader.once('close', closed);
      this.reader.question(question, (line) => {
        this.reader.off('close', closed);
        resolve(line);
      });
    });
  }
}

function cancelled(): Failure {
  return new Failure('CANCELLED', 'the prompt was not answered');
}
