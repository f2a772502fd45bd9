export interface CachedAnswer {
  etag: string;
  body: Buffer;
  headers: Headers;
}

/** What an entry takes besides its body: address, headers, bookkeeping. Many bodies are `[]`. */
const BYTES_PER_ENTRY = 4_096;

/** Answers that are asked for conditionally; the least recently used ones are dropped beyond `maxBytes`. */
export class EtagCache {
  private readonly answers = new Map<string, CachedAnswer>();
  private bytes = 0;

  constructor(private readonly maxBytes: number) {}

  find(key: string): CachedAnswer | undefined {
    const found = this.answers.get(key);
    if (!found) return undefined;
    this.answers.delete(key);
    this.answers.set(key, found);
    return found;
  }

  store(key: string, answer: CachedAnswer): void {
    this.drop(key);
    if (answer.body.length > this.maxBytes / 16) return;
    this.answers.set(key, answer);
    this.bytes += sizeOf(answer);
    for (const [oldest] of this.answers) {
      if (this.bytes <= this.maxBytes) break;
      this.drop(oldest);
    }
  }

  private drop(key: string): void {
    const found = this.answers.get(key);
    if (!found) return;
    this.answers.delete(key);
    this.bytes -= sizeOf(found);
  }
}

function sizeOf({ body }: CachedAnswer): number {
  return body.length + BYTES_PER_ENTRY;
}
