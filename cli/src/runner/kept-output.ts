import { StringDecoder } from 'node:string_decoder';
import { HeldText } from './held-text.js';

type Stream = 'stdout' | 'stderr';

/** What a process prints: the beginning of each of its streams, and of both as they came. */
export class KeptOutput {
  private readonly held = new HeldText();
  /** of what is held, in order */
  private readonly segments: { from: Stream; bytes: number }[] = [];
  private readonly characters = { stdout: 0, stderr: 0, both: 0 };
  /** of both as they came: the beginning of what is held */
  private bytesOfBoth = 0;

  /** @param maxCharacters nothing is added to a text that has as many */
  constructor(private readonly maxCharacters: number) {}

  add(from: Stream, text: string): void {
    if (this.characters[from] >= this.maxCharacters) return;
    const bytes = this.held.add(text);
    this.characters[from] += text.length;
    if (this.characters.both < this.maxCharacters) {
      this.characters.both += text.length;
      this.bytesOfBoth += bytes;
    }
    const last = this.segments.at(-1);
    if (last?.from === from) last.bytes += bytes;
    else this.segments.push({ from, bytes });
  }

  get both(): string {
    return [...this.pieces()].join('');
  }

  /** Both streams as they came, without a copy of the whole. */
  *pieces(): Generator<string> {
    const decoder = new StringDecoder('utf8');
    let left = this.bytesOfBoth;
    for (const part of this.held.parts()) {
      yield decoder.write(part.subarray(0, left));
      left -= Math.min(left, part.length);
    }
  }

  of(stream: Stream): string {
    const all = this.all();
    const parts: Buffer[] = [];
    let at = 0;
    for (const { from, bytes } of this.segments) {
      if (from === stream) parts.push(all.subarray(at, at + bytes));
      at += bytes;
    }
    return Buffer.concat(parts).toString();
  }

  private all(): Buffer {
    return Buffer.concat(this.held.parts());
  }
}
