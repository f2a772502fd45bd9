import { compareKeys } from './member-order.js';

/** The bytes are not JSON. */
export class NotJson extends Error {
  constructor(readonly at: number) {
    super(`not JSON at byte ${at}`);
  }
}

/** Valid JSON that the graph cannot hold; the document itself is stored all the same. */
export class Undecomposable extends Error {}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
/** Values nested deeper are stored and served, and have no graph. */
export const MAX_DEPTH = 512;
/** jsonb refuses numbers far outside of float range and strings with NUL or half a surrogate pair. */
const DEEPEST_PLAIN = 100;
const LONGEST_PLAIN_NUMBER = 400;
const LONGEST_PLAIN_EXPONENT = 3;

/**
 * One strict pass over UTF-8 JSON: validates, and copies it without insignificant white space into `out`, so that the
 * same value hashes the same whatever the layout. Numbers stay as written. `odd` turns true when a token would not be
 * accepted by PostgreSQL's jsonb, `unordered` when the members of an object inside of a value do not stand in the order of
 * `compareKeys`.
 */
export class JsonScanner {
  readonly out: Buffer;
  /** bytes written to `out` */
  length = 0;
  odd = false;
  unordered = false;
  /** nesting of the deepest value read so far */
  deepest = 0;

  constructor(
    readonly source: Buffer,
    public pos = 0,
    readonly end = source.length,
  ) {
    this.out = Buffer.allocUnsafe(end - pos + 16);
  }

  /** Moves over white space and returns the next byte, or -1 at the end. */
  peek(): number {
    const { source, end } = this;
    let pos = this.pos;
    while (pos < end) {
      const byte = source[pos] as number;
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) {
        this.pos = pos;
        return byte;
      }
      pos++;
    }
    this.pos = pos;
    return -1;
  }

  /** Consumes one structural byte, with the white space before it. */
  take(byte: number): void {
    if (this.peek() !== byte) throw new NotJson(this.pos);
    this.out[this.length++] = byte;
    this.pos++;
  }

  /** Consumes `byte` when it comes next. */
  takeIf(byte: number): boolean {
    if (this.peek() !== byte) return false;
    this.out[this.length++] = byte;
    this.pos++;
    return true;
  }

  /** Reads an object's key and colon and returns the key. */
  key(): string {
    if (this.peek() !== QUOTE) throw new NotJson(this.pos);
    const start = this.length;
    this.string();
    const key = textOf(this.out, start, this.length);
    this.take(COLON);
    return key;
  }

  /** Reads one value of any depth; containers wait on a list of their closing bytes, not on the stack. */
  value(): void {
    const closers: number[] = [];
    /** where the latest key of each open object begins in `out` */
    const keys: number[] = [];
    for (;;) {
      const byte = this.peek();
      if (byte === 0x7b || byte === 0x5b) {
        const closer = byte === 0x7b ? 0x7d : 0x5d;
        this.take(byte);
        if (!this.takeIf(closer)) {
          if (closers.push(closer) > this.deepest) this.deepest = closers.length;
          if (closers.length > DEEPEST_PLAIN) this.odd = true;
          keys.push(closer === 0x7d ? this.member() : -1);
          continue;
        }
      } else if (byte === QUOTE) this.string();
      else this.scalar(byte);
      if (this.closes(closers, keys)) return;
    }
  }

  /** After a value: moves to the next one of its container, or closes containers; true when none is left. */
  private closes(closers: number[], keys: number[]): boolean {
    for (let closer = closers.at(-1); closer !== undefined; closer = closers.at(-1)) {
      if (this.takeIf(COMMA)) {
        if (closer === 0x7d) keys.push(this.member(keys.pop()));
        return false;
      }
      this.take(closer);
      closers.pop();
      keys.pop();
    }
    return true;
  }

  /** @returns where its key begins in `out`, behind the quote */
  private member(previous?: number): number {
    if (this.peek() !== QUOTE) throw new NotJson(this.pos);
    const key = this.length + 1;
    this.string();
    if (previous !== undefined && !this.unordered) this.unordered = compareKeys(this.out, previous, key) > 0;
    this.take(COLON);
    return key;
  }

  private string(): void {
    const { source, out, end } = this;
    let pos = this.pos + 1;
    let length = this.length;
    out[length++] = QUOTE;
    for (;;) {
      if (pos >= end) throw new NotJson(pos);
      const byte = source[pos++] as number;
      if (byte < 0x20) throw new NotJson(pos - 1);
      out[length++] = byte;
      if (byte === QUOTE) break;
      if (byte !== BACKSLASH) continue;
      const escape = pos < end ? (source[pos++] as number) : 0;
      out[length++] = escape;
      if (escape === 0x75) {
        for (let i = 0; i < 4; i++) {
          const digit = pos < end ? (source[pos++] as number) : 0;
          if (!isHexDigit(digit)) throw new NotJson(pos - 1);
          out[length++] = digit;
        }
        const high = ((out[length - 4] as number) | 0x20) === 0x64 && (out[length - 3] as number) >= 0x38;
        const nul =
          out[length - 1] === 0x30 &&
          out[length - 2] === 0x30 &&
          out[length - 3] === 0x30 &&
          out[length - 4] === 0x30;
        if (high || nul) this.odd = true;
      } else if (!isShortEscape(escape)) throw new NotJson(pos - 1);
    }
    this.pos = pos;
    this.length = length;
  }

  private scalar(first: number): void {
    if (first === 0x74) this.literal('true');
    else if (first === 0x66) this.literal('false');
    else if (first === 0x6e) this.literal('null');
    else this.number();
  }

  private literal(text: string): void {
    for (let i = 0; i < text.length; i++) {
      if (this.source[this.pos] !== text.charCodeAt(i) || this.pos >= this.end) throw new NotJson(this.pos);
      this.out[this.length++] = text.charCodeAt(i);
      this.pos++;
    }
  }

  private number(): void {
    const start = this.length;
    if (this.source[this.pos] === 0x2d) this.copy();
    if (this.source[this.pos] === 0x30) this.copy();
    else this.digits();
    if (this.source[this.pos] === 0x2e && this.pos < this.end) {
      this.copy();
      this.digits();
    }
    const exponent = this.pos < this.end ? (this.source[this.pos] as number) | 0x20 : 0;
    if (exponent === 0x65) {
      this.copy();
      const sign = this.source[this.pos];
      if (sign === 0x2b || sign === 0x2d) this.copy();
      if (this.digits() > LONGEST_PLAIN_EXPONENT) this.odd = true;
    }
    if (this.length - start > LONGEST_PLAIN_NUMBER) this.odd = true;
  }

  private digits(): number {
    const start = this.pos;
    while (this.pos < this.end) {
      const byte = this.source[this.pos] as number;
      if (byte < 0x30 || byte > 0x39) break;
      this.copy();
    }
    if (this.pos === start) throw new NotJson(this.pos);
    return this.pos - start;
  }

  private copy(): void {
    if (this.pos >= this.end) throw new NotJson(this.pos);
    this.out[this.length++] = this.source[this.pos++] as number;
  }
}

/** Valid JSON text without insignificant white space, every token as written. */
export function minifiedJson(text: string): string {
  const scanner = new JsonScanner(Buffer.from(text));
  scanner.value();
  return scanner.out.toString('utf8', 0, scanner.length);
}

/** The string between two quotes of minified JSON. */
export function textOf(buffer: Buffer, start: number, end: number): string {
  const text = buffer.toString('utf8', start, end);
  return text.includes('\\') ? (JSON.parse(text) as string) : text.slice(1, -1);
}

function isHexDigit(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66);
}

function isShortEscape(byte: number): boolean {
  return (
    byte === QUOTE ||
    byte === BACKSLASH ||
    byte === 0x2f ||
    byte === 0x62 ||
    byte === 0x66 ||
    byte === 0x6e ||
    byte === 0x72 ||
    byte === 0x74
  );
}
