import { hash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** What is known of a piece of a file that holds one resource or data block. Lines count from the piece's first. */
export interface KnownBlock {
  kind: string;
  /** type and name */
  labels: string[];
  startLine: number;
  endLine: number;
  /** of the node */
  hash: string;
}

/** Few misses are not worth writing thousands of lines. */
const WORTH_WRITING = 20;
/** Values of one block in the file's one list: its key, kind, two labels, lines and hash. Far quicker read than objects. */
const VALUES = 7;

/**
 * Remembers by their text what pieces of files hold, so that of ten thousand blocks only those are parsed that changed.
 * Without it, or with a damaged one, everything is parsed.
 */
export class BlockCache {
  private readonly stored: readonly unknown[];
  /** where in `stored` a block's values begin */
  private readonly places = new Map<unknown, number>();
  private readonly used = new Map<string, KnownBlock>();
  private misses = 0;

  /** `version` is that of the program: another one may read the same text otherwise. */
  constructor(
    private readonly file: string,
    private readonly version: string,
  ) {
    this.stored = load(file, version);
    for (let at = 0; at < this.stored.length; at += VALUES) this.places.set(this.stored[at], at);
  }

  static keyOf(text: string): string {
    return hash('sha256', text, 'base64');
  }

  get(key: string): KnownBlock | undefined {
    const at = this.places.get(key);
    if (at === undefined) return undefined;
    const block = {
      kind: this.stored[at + 1] as string,
      labels: [this.stored[at + 2] as string, this.stored[at + 3] as string],
      startLine: this.stored[at + 4] as number,
      endLine: this.stored[at + 5] as number,
      hash: this.stored[at + 6] as string,
    };
    this.used.set(key, block);
    return block;
  }

  set(key: string, block: KnownBlock): void {
    this.misses++;
    this.used.set(key, block);
  }

  /** Keeps what was used since it was opened. */
  save(): void {
    if (this.misses < WORTH_WRITING) return;
    try {
      mkdirSync(dirname(this.file), { recursive: true, mode: 0o700 });
      const draft = `${this.file}.${process.pid}`;
      const values = [...this.used].flatMap(([key, { kind, labels, startLine, endLine, hash: digest }]) => [
        ...[key, kind, labels[0], labels[1]],
        ...[startLine, endLine, digest],
      ]);
      writeFileSync(draft, JSON.stringify({ version: this.version, values }), { mode: 0o600 });
      renameSync(draft, this.file);
    } catch {
      // A home that cannot be written to costs speed only.
    }
  }
}

function load(file: string, version: string): unknown[] {
  try {
    const found = JSON.parse(readFileSync(file, 'utf8')) as { version: string; values?: unknown[] };
    const { values } = found;
    return found.version === version && Array.isArray(values) && values.length % VALUES === 0 ? values : [];
  } catch {
    return [];
  }
}
