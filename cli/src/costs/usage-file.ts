import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import type { Context } from '../context/context.js';
import { UsageFailure } from '../failure.js';

/** A usage document in JSON from a file, or from stdin for `-`. */
export async function readUsage({ streams }: Context, file: string): Promise<Record<string, unknown>> {
  const content = file === '-' ? await text(streams.stdin) : readFile(file);
  try {
    const document: unknown = JSON.parse(content);
    if (typeof document === 'object' && document !== null && !Array.isArray(document))
      return document as Record<string, unknown>;
  } catch {
    // The answer is the same as for JSON of another shape.
  }
  throw new UsageFailure(`${file === '-' ? 'stdin' : file} must be a JSON object`);
}

function readFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw new UsageFailure(`${file} cannot be read`);
  }
}
