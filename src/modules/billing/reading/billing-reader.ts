import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { FileProblem, type ReaderAnswer, type ReaderRequest, type ReaderStart } from './reader-messages.js';

/** As in the process, whose file must not be imported: that would start reading here. */
const OUT_OF_MEMORY_CODE = 79;

export interface ReaderLimits {
  memoryBytes: number;
  timeMs: number;
}

/** The reading process, seen from the worker. Every call throws a `FileProblem` once the process is over a limit. */
export class BillingReader {
  private readonly lines: Interface;
  private readonly timer: NodeJS.Timeout;
  private problem: string | undefined;

  private constructor(
    private readonly child: ChildProcessWithoutNullStreams,
    limits: ReaderLimits,
    signal: AbortSignal,
  ) {
    this.lines = createInterface({ input: child.stdout });
    child.stderr.resume();
    child.stdin.on('error', () => undefined);
    this.timer = setTimeout(() => this.kill('the files took too long to read'), limits.timeMs);
    signal.addEventListener('abort', () => this.kill('the sync was stopped'), { once: true });
  }

  static start(folder: string, limits: ReaderLimits, signal: AbortSignal): BillingReader {
    const start: ReaderStart = { folder, memoryBytes: limits.memoryBytes };
    const child = spawn(
      process.execPath,
      [
        `--max-old-space-size=${Math.max(64, Math.floor(limits.memoryBytes / 2 ** 20 / 2))}`,
        join(__dirname, 'billing-reader.process.js'),
        JSON.stringify(start),
      ],
      // Nothing of the environment: it holds the credentials of the stores and of the database.
      { cwd: folder, env: { TMPDIR: folder }, stdio: ['pipe', 'pipe', 'pipe'] },
    );
    return new BillingReader(child, limits, signal);
  }

  async read(request: Omit<Extract<ReaderRequest, { do: 'read' }>, 'do'>): Promise<number> {
    const answer = await this.ask({ do: 'read', ...request });
    if ('lines' in answer) return answer.lines;
    throw new FileProblem('problem' in answer ? answer.problem : 'the file could not be read');
  }

  async write(file: string): Promise<{ rows: number; months: string[] }> {
    const answer = await this.ask({ do: 'write', file });
    if ('months' in answer) return answer;
    throw new FileProblem('problem' in answer ? answer.problem : 'the sums could not be written');
  }

  async close(): Promise<void> {
    clearTimeout(this.timer);
    this.lines.close();
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await ended;
  }

  private async ask(request: ReaderRequest): Promise<ReaderAnswer> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) throw this.ended();
    const stop = new AbortController();
    try {
      const answered = once(this.lines, 'line', { signal: stop.signal }) as Promise<[string]>;
      const ended = once(this.child, 'exit', { signal: stop.signal }).then(() => {
        throw this.ended();
      });
      const failed = once(this.child, 'error', { signal: stop.signal }).then(() => {
        throw new FileProblem('the reading process could not be started');
      });
      for (const other of [ended, failed, answered]) other.catch(() => undefined);
      this.child.stdin.write(`${JSON.stringify(request)}\n`);
      const [line] = await Promise.race([answered, ended, failed]);
      return JSON.parse(line) as ReaderAnswer;
    } finally {
      stop.abort();
    }
  }

  private ended(): FileProblem {
    if (this.problem !== undefined) return new FileProblem(this.problem);
    // A native library that runs out of memory aborts; Node does too when its heap is full.
    const isMemory = this.child.exitCode === OUT_OF_MEMORY_CODE || this.child.signalCode === 'SIGABRT';
    return new FileProblem(
      isMemory ? 'the file needs too much memory' : 'the file ended the reading process',
    );
  }

  private kill(problem: string): void {
    this.problem ??= problem;
    this.child.kill('SIGKILL');
  }
}
