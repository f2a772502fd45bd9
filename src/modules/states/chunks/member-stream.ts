import { NotJson } from '../../documents/index.js';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/** Bytes of all members that are kept. */
const MOST_KEPT = 1024 * 1024;

/** Files end with a few of them. */
const MOST_SPACES = 1024;

/** Valid JSON perhaps, but not what is to be taken apart; the message says why. */
export class UnfitObject extends Error {}

type Expected = 'object' | 'first name' | 'name' | 'colon' | 'value' | 'next' | 'nothing';

/**
 * Takes a JSON object apart while it arrives: the bytes of one member's value are passed on as they come, the other
 * members are kept. Only where values end is looked for; whoever reads a value finds out whether it is one.
 */
export class MemberStream {
  /** The bytes of the values of the other members, by name; the last of a name counts. */
  readonly members = new Map<string, Buffer>();
  private expected: Expected = 'object';
  private readonly spaces: number[] = [];
  private reading: ValueEnd | undefined;
  private parts: Buffer[] = [];
  private kept = 0;
  private name = '';
  private at = 0;

  constructor(private readonly passedOn: string) {}

  /** The parts of `bytes` that belong to the value that is passed on. */
  take(bytes: Buffer): Buffer[] {
    const passed: Buffer[] = [];
    let pos = 0;
    while (pos < bytes.length) {
      if (this.reading) {
        const end = this.reading.after(bytes, pos);
        if (this.isPassedOn) passed.push(bytes.subarray(pos, end));
        else this.appendPart(bytes.subarray(pos, end));
        pos = end;
        if (this.reading.isFound) this.ended();
      } else {
        const byte = bytes[pos] as number;
        if (this.isBehindPassedOn) passed.push(...this.behind(byte));
        if (isSpace(byte) || this.structure(byte, pos)) pos++;
      }
    }
    this.at += bytes.length;
    return passed;
  }

  /** Nothing more comes. */
  end(): void {
    if (this.expected !== 'nothing') throw new NotJson(this.at);
  }

  /** White space between the value and the end of the object belongs to the file that the value was read from. */
  private behind(byte: number): Buffer[] {
    if (isSpace(byte) && this.spaces.length < MOST_SPACES) this.spaces.push(byte);
    return byte === CLOSE && this.spaces.length < MOST_SPACES ? [Buffer.from(this.spaces)] : [];
  }

  private get isBehindPassedOn(): boolean {
    return this.expected === 'next' && this.name === this.passedOn;
  }

  private get isPassedOn(): boolean {
    return this.expected === 'value' && this.name === this.passedOn;
  }

  /** True when the byte is structure; otherwise a name or a value begins with it. */
  private structure(byte: number, pos: number): boolean {
    switch (this.expected) {
      case 'object':
        return this.want({ isRight: byte === OPEN, next: 'first name', pos });
      case 'first name':
        if (byte === CLOSE) return this.want({ isRight: true, next: 'nothing', pos });
        return this.begin({ isRight: byte === QUOTE, what: 'name', pos });
      case 'name':
        return this.begin({ isRight: byte === QUOTE, what: 'name', pos });
      case 'colon':
        return this.want({ isRight: byte === COLON, next: 'value', pos });
      case 'value':
        if (this.isPassedOn && this.members.has(this.name))
          throw new UnfitObject(`${this.passedOn} is there twice`);
        return this.begin({ isRight: true, what: 'value', pos });
      case 'next':
        return this.want({
          isRight: byte === COMMA || byte === CLOSE,
          next: byte === COMMA ? 'name' : 'nothing',
          pos,
        });
      case 'nothing':
        throw new NotJson(this.at + pos);
    }
  }

  private want({ isRight, next, pos }: { isRight: boolean; next: Expected; pos: number }): true {
    if (!isRight) throw new NotJson(this.at + pos);
    this.expected = next;
    return true;
  }

  private begin({ isRight, what, pos }: { isRight: boolean; what: Expected; pos: number }): false {
    this.want({ isRight, next: what, pos });
    this.reading = new ValueEnd();
    return false;
  }

  private appendPart(part: Buffer): void {
    this.kept += part.length;
    if (this.kept > MOST_KEPT) throw new UnfitObject(`what stands beside ${this.passedOn} is too large`);
    // The rest of what came with it is not to stay in memory for it.
    this.parts.push(Buffer.from(part));
  }

  private ended(): void {
    const bytes = Buffer.concat(this.parts);
    this.parts = [];
    this.reading = undefined;
    if (this.expected === 'name') {
      this.name = JSON.parse(bytes.toString('utf8')) as string;
      this.expected = 'colon';
    } else {
      this.members.set(this.name, bytes);
      this.expected = 'next';
    }
  }
}

/** Finds where a value ends: by brackets and quotes, or for numbers and words by what cannot be part of them. */
class ValueEnd {
  isFound = false;
  private depth = 0;
  private isText = false;
  private isEscaped = false;

  /** Where the value ends in `bytes`, which go on with it at `pos`; their length when it goes on after them. */
  after(bytes: Buffer, pos: number): number {
    for (; pos < bytes.length; pos++) {
      const byte = bytes[pos] as number;
      if (this.isText) {
        if (this.isEscaped) this.isEscaped = false;
        else if (byte === BACKSLASH) this.isEscaped = true;
        else if (byte === QUOTE) {
          this.isText = false;
          if (this.depth === 0) return this.found(pos + 1);
        }
      } else if (byte === QUOTE) this.isText = true;
      else if (byte === OPEN || byte === 0x5b) this.depth++;
      else if (byte === CLOSE || byte === 0x5d) {
        if (this.depth === 0) return this.found(pos);
        if (--this.depth === 0) return this.found(pos + 1);
      } else if (this.depth === 0 && (byte === COMMA || isSpace(byte))) return this.found(pos);
    }
    return pos;
  }

  private found(pos: number): number {
    this.isFound = true;
    return pos;
  }
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
