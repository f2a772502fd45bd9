import { createInterface } from 'node:readline';
import { DuckDbEngine } from './duckdb-engine.js';
import { PlainEngine } from './plain-engine.js';
import { FileProblem, type ReaderAnswer, type ReaderRequest, type ReaderStart } from './reader-messages.js';

const MEMORY_CHECK_MS = 50;
/** The parent reads it as "too much memory". */
export const OUT_OF_MEMORY_CODE = 79;

/**
 * Reads billing files in a process of its own: a hostile file ends this process and no other. It has no credentials,
 * touches one folder, and ends itself when its memory exceeds the limit.
 */
async function main(): Promise<void> {
  const start = JSON.parse(process.argv[2] ?? '{}') as ReaderStart;
  setInterval(() => {
    if (process.memoryUsage.rss() > start.memoryBytes) process.exit(OUT_OF_MEMORY_CODE);
  }, MEMORY_CHECK_MS).unref();
  // The worker that started it is gone, and its time limit with it.
  process.stdin.once('close', () => process.exit(0));
  const engine = await DuckDbEngine.start(start).catch(() => new PlainEngine());
  for await (const line of createInterface({ input: process.stdin })) {
    const request = JSON.parse(line) as ReaderRequest;
    let answer: ReaderAnswer;
    try {
      answer =
        request.do === 'read' ? { lines: await engine.read(request) } : await engine.write(request.file);
    } catch (error) {
      answer = { problem: error instanceof FileProblem ? error.message : 'the file could not be read' };
    }
    process.stdout.write(`${JSON.stringify(answer)}\n`);
  }
  process.exit(0);
}

void main();
