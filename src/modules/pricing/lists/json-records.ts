/** A record of a JSON document that is too large to be parsed whole. */
export interface JsonRecord {
  /** keys from the root to the record */
  path: string[];
  value: unknown;
}

const QUOTE = 34;
const BACKSLASH = 92;
const OPEN = new Set([123, 91]);
const CLOSE = new Set([125, 93]);
const COLON = 58;
const COMMA = 44;
/** A record larger than this is no price. */
const MAX_RECORD_CHARS = 4_000_000;

/**
 * Yields the members below the paths that `isRecord` names, parsed one by one, while the document streams past. Only
 * objects with keys are walked; memory holds one record.
 */
export async function* jsonRecords(
  chunks: AsyncIterable<Buffer>,
  isRecord: (path: readonly string[]) => boolean,
): AsyncGenerator<JsonRecord> {
  const scanner = new RecordScanner(isRecord);
  const decoder = new TextDecoder('utf-8', { fatal: true });
  for await (const chunk of chunks) yield* scanner.add(decoder.decode(chunk, { stream: true }));
  yield* scanner.add(decoder.decode());
  if (!scanner.isComplete) throw new Error('JSON document is truncated');
}

class RecordScanner {
  private readonly path: string[] = [];
  private inString = false;
  private escaped = false;
  private text = '';
  private key: string | undefined;
  private awaitsValue = false;
  private started = false;
  /** the text of the record being read, and how deep it is nested */
  private record: string[] | undefined;
  private recordDepth = 0;
  private recordChars = 0;

  constructor(private readonly isRecord: (path: readonly string[]) => boolean) {}

  get isComplete(): boolean {
    return this.started && this.path.length === 0 && this.record === undefined && !this.inString;
  }

  *add(text: string): Generator<JsonRecord> {
    // Where the text of the key or record that is being read begins in this piece.
    let from = 0;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (this.inString) {
        if (this.endsString(code) && this.record === undefined) {
          this.endKey(text.slice(from, at));
          from = at + 1;
        }
      } else if (this.record !== undefined) {
        if (!this.endsRecord(code)) continue;
        yield this.finish(text.slice(from, at + 1));
        from = at + 1;
      } else if (this.begins(code)) from = code === QUOTE ? at + 1 : at;
    }
    if (this.record !== undefined) this.keep(text.slice(from));
    else if (this.inString) this.text += text.slice(from);
  }

  /** Whether the character is the quote behind a string. */
  private endsString(code: number): boolean {
    if (this.escaped) this.escaped = false;
    else if (code === BACKSLASH) this.escaped = true;
    else if (code === QUOTE) this.inString = false;
    return !this.inString;
  }

  private endKey(rest: string): void {
    if (!this.awaitsValue) this.key = JSON.parse(`"${this.text + rest}"`) as string;
    this.text = '';
  }

  /** Whether the character is the last one of the record. */
  private endsRecord(code: number): boolean {
    if (code === QUOTE) this.inString = true;
    else if (OPEN.has(code)) this.recordDepth++;
    else if (CLOSE.has(code)) this.recordDepth--;
    return this.recordDepth === 0;
  }

  /** Whether a string or a record begins with the character. */
  private begins(code: number): boolean {
    if (code === QUOTE) this.inString = true;
    else if (OPEN.has(code)) return this.opens();
    else if (CLOSE.has(code)) this.closes();
    else if (code === COLON) this.awaitsValue = true;
    else if (code === COMMA) this.awaitsValue = false;
    return this.inString;
  }

  /** Enters a nested value; true when it is a record. */
  private opens(): boolean {
    if (!this.started) {
      this.started = true;
      this.path.push('$');
      this.awaitsValue = false;
      return false;
    }
    this.path.push(this.key ?? '');
    this.awaitsValue = false;
    if (!this.isRecord(this.path.slice(1))) return false;
    this.record = [];
    this.recordDepth = 1;
    this.recordChars = 0;
    return true;
  }

  private closes(): void {
    this.path.pop();
    this.awaitsValue = false;
  }

  private keep(text: string): void {
    this.recordChars += text.length;
    if (this.recordChars > MAX_RECORD_CHARS) throw new Error('a record of the JSON document is too large');
    this.record?.push(text);
  }

  private finish(text: string): JsonRecord {
    this.keep(text);
    const value = JSON.parse((this.record ?? []).join('')) as unknown;
    const path = this.path.slice(1);
    this.record = undefined;
    this.closes();
    return { path, value };
  }
}
