import { PatternAutomaton } from './pattern-automaton.rules.js';
import type { SecretForms } from './secret-forms.rules.js';
import { SpanQueue, takeBefore } from './spans.rules.js';
import {
  BASE64_ALPHABET,
  Base64Symbols,
  type SymbolReader,
  type TakeSymbol,
  TEXT_ALPHABET,
  TextSymbols,
  URL_ALPHABET,
  UrlSymbols,
  WORD_ALPHABET,
  WordSymbols,
} from './symbols.rules.js';

export const MASK = '***';

/** The automata of all sensitive values, one for each kind of encoding. */
export type Automata = Readonly<Record<keyof SecretForms, PatternAutomaton>>;

export function automataOf(forms: readonly SecretForms[]): Automata {
  const of = (kind: keyof SecretForms, alphabet: number) =>
    new PatternAutomaton(
      forms.flatMap((each) => each[kind]),
      alphabet,
    );
  return {
    text: of('text', TEXT_ALPHABET),
    url: of('url', URL_ALPHABET),
    base64: of('base64', BASE64_ALPHABET),
    words: of('words', WORD_ALPHABET),
  };
}

/** Longer text is read in pieces, so that no more is remembered than what such a piece holds. */
const PIECE_CHARACTERS = 8_192;

type MakeSymbols = (take: TakeSymbol, hasBegun: () => boolean) => SymbolReader;

/** Follows one kind of encoding through a text. */
class Scan {
  /** what is found and not shown yet */
  readonly found = new SpanQueue();
  symbols: SymbolReader;
  private state = 0;
  private taken = 0;
  /** where the last symbols began, as many as a pattern may have */
  private readonly starts: Float64Array;

  constructor(
    private readonly automaton: PatternAutomaton,
    private readonly makeSymbols: MakeSymbols,
  ) {
    this.starts = new Float64Array(automaton.longest + 1);
    this.symbols = this.newSymbols();
  }

  /** Begins another text. */
  reset(): void {
    this.symbols = this.newSymbols();
    this.state = this.taken = 0;
    this.found.clear();
  }

  /** Offset of the first character that may still belong to a sensitive value. */
  get pendingFrom(): number {
    const { state, automaton } = this;
    const begun = state === 0 ? Infinity : this.startOf(automaton.depth(state));
    return Math.min(begun, this.symbols.unfinished);
  }

  private take(symbol: number, start: number, end: number): void {
    const { automaton } = this;
    this.state = automaton.next(this.state, symbol);
    if (this.state === 0) return;
    this.starts[this.taken++ % this.starts.length] = start;
    const length = automaton.matchLength(this.state);
    if (length > 0) this.found.add({ start: this.startOf(length), end });
  }

  private newSymbols(): SymbolReader {
    return this.makeSymbols(
      (symbol, start, end) => this.take(symbol, start, end),
      () => this.state !== 0,
    );
  }

  /** Where the symbol began that was taken so many symbols ago; 1 is the last one. */
  private startOf(back: number): number {
    return this.starts[(this.taken - back) % this.starts.length] ?? 0;
  }
}

/** Masks a text that comes in pieces, and after its end another one. What may still become a sensitive value is held back. */
export class MaskedText {
  private scans: readonly Scan[];
  private held = '';
  /** offset of the first character that is held */
  private base = 0;
  /** the text before this offset is shown, or hidden behind a mask that was shown */
  private shown = 0;

  constructor(private automata: Automata) {
    this.scans = scansOf(automata);
  }

  /** Sensitive values were added: from now on they are hidden, too. What was found in the held text is found again. */
  use(automata: Automata): void {
    if (automata === this.automata) return;
    this.automata = automata;
    this.scans = scansOf(automata);
    this.read(this.held, this.base);
  }

  write(text: string): string {
    let masked = '';
    for (let at = 0; at < text.length; at += PIECE_CHARACTERS)
      masked += this.writePiece(text.slice(at, at + PIECE_CHARACTERS));
    return masked;
  }

  end(): string {
    const end = this.base + this.held.length;
    for (const { symbols } of this.scans) symbols.end(end);
    const masked = this.show(end);
    for (const scan of this.scans) scan.reset();
    this.base = this.shown = 0;
    return masked;
  }

  private writePiece(text: string): string {
    const offset = this.base + this.held.length;
    this.held += text;
    this.read(text, offset);
    let pending = offset + text.length;
    for (const scan of this.scans) pending = Math.min(pending, scan.pendingFrom);
    return this.show(pending);
  }

  private read(text: string, offset: number): void {
    for (const { symbols } of this.scans)
      for (let n = 0; n < text.length; n++) symbols.read(text.charCodeAt(n), offset + n);
  }

  /** The masked text up to an offset before which nothing more is found. */
  private show(until: number): string {
    let masked = '';
    const queues = this.scans.map(({ found }) => found);
    for (const { start, end } of takeBefore(until, queues)) {
      // A part of it may be hidden already, by another scan or behind a mask that was shown.
      if (start >= this.shown) masked += this.textTo(start) + MASK;
      this.shown = Math.max(this.shown, end);
    }
    masked += this.textTo(until);
    this.shown = Math.max(this.shown, until);
    this.held = this.held.slice(until - this.base);
    this.base = until;
    return masked;
  }

  private textTo(offset: number): string {
    return offset > this.shown ? this.held.slice(this.shown - this.base, offset - this.base) : '';
  }
}

function scansOf({ text, url, base64, words }: Automata): Scan[] {
  const kinds: readonly (readonly [PatternAutomaton, MakeSymbols])[] = [
    [text, (take) => new TextSymbols(take)],
    [url, (take) => new UrlSymbols(take)],
    [base64, (take, hasBegun) => new Base64Symbols(take, hasBegun)],
    [words, (take) => new WordSymbols(take)],
  ];
  return kinds
    .filter(([automaton]) => !automaton.isEmpty)
    .map(([automaton, symbols]) => new Scan(automaton, symbols));
}
