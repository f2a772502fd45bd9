import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** What is known of a piece of a file that holds one resource or data block. Lines count from the piece's first. */
export interface KnownBlock {
  kind: string;
  labels: string[];
  startLine: number;
  endLine: number;
  /** of the node */
  hash: string;
}

/** Few misses are not worth writing thousands of lines. */
const WORTH_WRITING = 20;

/**
 * Remembers by their text what pieces of files hold, so that of ten thousand blocks only those are parsed that changed.
 * Without it, or with a damaged one, everything is parsed.
 */
export class BlockCache {
  private readonly known: Record<string, KnownBlock>;
  private readonly used: Record<string, KnownBlock> = {};
  private misses = 0;

  /** `version` is that of the program: another one may read the same text otherwise. */
  constructor(
    private readonly file: string,
    private readonly version: string,
  ) {
    this.known = load(file, version);
  }

  static keyOf(text: string): string {
    return createHash('sha256').update(text).digest('base64');
  }

  get(key: string): KnownBlock | undefined {
    const block = Object.hasOwn(this.known, key) ? this.known[key] : undefined;
    if (block) this.used[key] = block;
    return block;
  }

  set(key: string, block: KnownBlock): void {
    this.misses++;
    this.used[key] = block;
  }

  /** Keeps what was used since it was opened. */
  save(): void {
    if (this.misses < WORTH_WRITING) return;
    try {
      mkdirSync(dirname(this.file), { recursive: true, mode: 0o700 });
      const draft = `${this.file}.${process.pid}`;
      writeFileSync(draft, JSON.stringify({ version: this.version, blocks: this.used }), { mode: 0o600 });
      renameSync(draft, this.file);
    } catch {
      // A home that cannot be written to costs speed only.
    }
  }
}

function load(file: string, version: string): Record<string, KnownBlock> {
  try {
    const found = JSON.parse(readFileSync(file, 'utf8')) as {
      version: string;
      blocks: Record<string, KnownBlock>;
    };
    return found.version === version ? found.blocks : {};
  } catch {
    return {};
  }
}
