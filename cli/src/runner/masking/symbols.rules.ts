/** Takes one symbol, and which characters of the text it stands for (from `start` to before `end`). */
export type TakeSymbol = (symbol: number, start: number, end: number) => void;

/** Turns the characters of a text into the symbols in which one kind of encoding is looked for. */
export interface SymbolReader {
  /** One character, by its code unit, at an offset of the text. */
  read(code: number, offset: number): void;
  /** The text has ended. */
  end(offset: number): void;
  /** Offset of the first character that is read and not yet a symbol. */
  readonly unfinished: number;
}

const code = (character: string): number => character.charCodeAt(0);
const [PERCENT, PLUS, MINUS, SPACE, TAB, BACKSLASH] = [...'%+- \t\\'].map(code) as [
  number,
  number,
  number,
  number,
  number,
  number,
];
const LINE_ENDS: ReadonlySet<number> = new Set([...'\r\n'].map(code));
/** After a line end: indentation, and what marks lines of quotes and of differences. */
const MARGIN: ReadonlySet<number> = new Set([...' \t\r\n|│>~'].map(code));
/** Of an escaped line end, such as `\n` in JSON. */
const ESCAPED_ENDS: ReadonlySet<number> = new Set([...'nr'].map(code));
/** A longer margin ends what was before it. */
const MAX_MARGIN = 256;

export const TEXT_ALPHABET = 0x10000;

/** Every character is a symbol. */
export class TextSymbols implements SymbolReader {
  readonly unfinished = Infinity;
  constructor(private readonly take: TakeSymbol) {}

  read(character: number, offset: number): void {
    this.take(character, offset, offset + 1);
  }

  end(): void {
    // Every character was taken at once.
  }
}

export const URL_ALPHABET = 0x101;
const NOT_ASCII = 0x100;

/** Bytes that percent encoding stands for, with one symbol for `+` and space, which forms do not tell apart. */
export class UrlSymbols implements SymbolReader {
  private percent = -1;
  private first = -1;

  constructor(private readonly take: TakeSymbol) {}

  get unfinished(): number {
    return this.percent < 0 ? Infinity : this.percent;
  }

  static of(value: string): number[] {
    return [...Buffer.from(value)].map(urlSymbol);
  }

  read(character: number, offset: number): void {
    if (this.percent < 0) return this.plain(character, offset);
    const digit = hexDigit(character);
    if (digit < 0) {
      this.end();
      return this.plain(character, offset);
    }
    if (this.first < 0) {
      this.first = character;
      return;
    }
    this.take(urlSymbol(hexDigit(this.first) * 16 + digit), this.percent, offset + 1);
    this.percent = this.first = -1;
  }

  /** A percent sign that begins no escape. */
  end(): void {
    const { percent, first } = this;
    if (percent < 0) return;
    this.percent = this.first = -1;
    this.take(PERCENT, percent, percent + 1);
    if (first >= 0) this.take(first, percent + 1, percent + 2);
  }

  private plain(character: number, offset: number): void {
    if (character === PERCENT) this.percent = offset;
    else this.take(character < 0x80 ? urlSymbol(character) : NOT_ASCII, offset, offset + 1);
  }
}

function urlSymbol(byte: number): number {
  return byte === PLUS ? SPACE : byte;
}

function hexDigit(character: number): number {
  if (character >= 0x30 && character <= 0x39) return character - 0x30;
  const letter = character | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

export const BASE64_ALPHABET = 66;
const NO_BASE64 = 64;
const PADDING = 65;
const BASE64 = base64Table();

function base64Table(): Uint8Array {
  const table = new Uint8Array(0x80).fill(NO_BASE64);
  for (const [n, character] of [
    ...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/',
  ].entries())
    table[code(character)] = n;
  table[code('-')] = table[code('+')] as number;
  table[code('_')] = table[code('/')] as number;
  table[code('=')] = PADDING;
  return table;
}

function base64Symbol(character: number): number {
  return BASE64[character] ?? NO_BASE64;
}

/** Six bits of base64 and of base64url alike. Lines that are wrapped, indented or quoted are joined, as is `%2B`. */
export class Base64Symbols implements SymbolReader {
  private readonly escape: UrlSymbols;
  /** characters since the last symbol; 0 when there are none */
  private margin = 0;
  private hasLineEnd = false;
  private isEscaping = false;
  /** a `+` or `-` after a line end marks a difference when a space comes next */
  private marker = -1;
  private markerOffset = 0;

  constructor(
    private readonly take: TakeSymbol,
    /** whether something has begun that could go on in the next line */
    private readonly hasBegun: () => boolean,
  ) {
    this.escape = new UrlSymbols((byte, start, end) => this.decoded({ byte, start, end }));
  }

  static of(encoded: string): number[] {
    return [...encoded].map((character) => base64Symbol(code(character)));
  }

  get unfinished(): number {
    return Math.min(this.escape.unfinished, this.marker < 0 ? Infinity : this.markerOffset);
  }

  read(character: number, offset: number): void {
    if (this.escape.unfinished === Infinity && character !== PERCENT) return this.plain(character, offset);
    this.endMarker();
    this.escape.read(character, offset);
  }

  end(): void {
    this.escape.end();
    this.endMarker();
  }

  private decoded({ byte, start, end }: { byte: number; start: number; end: number }): void {
    // `UrlSymbols` has one symbol for both: a space is never percent encoded in base64.
    if (end - start === 1) this.plain(byte === SPACE ? PLUS : byte, start);
    else this.symbol(byte === SPACE ? PLUS : byte, { start, end });
  }

  private plain(character: number, offset: number): void {
    if (this.marker >= 0 && (character === SPACE || character === TAB)) this.marker = -1;
    else this.endMarker();
    if (this.hasBegun() && this.isMargin(character, offset)) return;
    this.symbol(character, { start: offset, end: offset + 1 });
  }

  /** Whether a character belongs to the place between two lines. */
  private isMargin(character: number, offset: number): boolean {
    if (this.margin > MAX_MARGIN) return false;
    if (this.isEscaping) {
      if (character !== BACKSLASH && !ESCAPED_ENDS.has(character)) return false;
      this.isEscaping = character === BACKSLASH;
      this.hasLineEnd ||= !this.isEscaping;
    } else if (character === BACKSLASH) this.isEscaping = true;
    else if (LINE_ENDS.has(character)) this.hasLineEnd = true;
    else if (this.hasLineEnd && (character === PLUS || character === MINUS)) {
      this.marker = character;
      this.markerOffset = offset;
    } else if (!MARGIN.has(character)) return false;
    this.margin++;
    return true;
  }

  private endMarker(): void {
    const { marker, markerOffset } = this;
    this.marker = -1;
    if (marker >= 0) this.symbol(marker, { start: markerOffset, end: markerOffset + 1 });
  }

  private symbol(character: number, { start, end }: { start: number; end: number }): void {
    // Blanks within a line, and a backslash that escapes no line end, separate.
    const isBroken = this.margin > MAX_MARGIN || this.isEscaping || (this.margin > 0 && !this.hasLineEnd);
    this.margin = 0;
    this.hasLineEnd = this.isEscaping = false;
    if (isBroken) this.take(NO_BASE64, start, start);
    this.take(base64Symbol(character), start, end);
  }
}

export const WORD_ALPHABET = 67;
/** Where a word begins or ends: any character that is none of base64. */
export const WORD_EDGE = NO_BASE64;

/** Words of base64 between other characters. */
export class WordSymbols implements SymbolReader {
  readonly unfinished = Infinity;
  private hasBegun = false;

  constructor(private readonly take: TakeSymbol) {}

  read(character: number, offset: number): void {
    if (!this.hasBegun) this.take(WORD_EDGE, offset, offset);
    this.hasBegun = true;
    const symbol = base64Symbol(character);
    // The edges are no part of what is hidden; the padding behind a word is.
    if (symbol === WORD_EDGE) this.take(symbol, offset + 1, offset);
    else if (symbol === PADDING) this.take(symbol, offset + 1, offset + 1);
    else this.take(symbol, offset, offset + 1);
  }

  end(offset: number): void {
    this.take(WORD_EDGE, offset, offset);
  }
}
