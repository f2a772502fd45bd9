import { httpErrors } from '../../../platform/errors/index.js';

/** One `key:value` of the `q` parameter. */
export interface InstanceTerm {
  key: 'address' | 'resource_address' | 'module' | 'provider' | 'type' | 'attr';
  /** path of the attribute for `attr` */
  path: string[];
  /** parts between wildcards; a single part matches whole */
  parts: string[];
}

const KEYS = ['address', 'resource_address', 'module', 'provider', 'type', 'attr'] as const;

/**
 * Parses `q`: terms separated by spaces and joined by and. `"…"` quotes any part of a term (backslash escapes inside),
 * `*` outside of quotes matches anything. Inside of brackets spaces and quotes stand for themselves, so that an address
 * such as `aws_x.y["a b"]` may be written as it is.
 */
export function parseInstanceTerms(q: string): InstanceTerm[] {
  if (q.includes('\0')) throw httpErrors.INVALID_REQUEST('q has a NUL character');
  return splitTerms(q).map(parseTerm);
}

interface Char {
  char: string;
  quoted: boolean;
}

function splitTerms(q: string): Char[][] {
  return new TermReader(q).read();
}

/** Reads `q` one character at a time; `position` is behind the character that is being read. */
class TermReader {
  private readonly terms: Char[][] = [];
  private term: Char[] = [];
  private position = 0;
  private isQuoted = false;
  /** between the quotes of an instance key, which are part of the address */
  private isInKey = false;

  constructor(private readonly q: string) {}

  read(): Char[][] {
    while (this.position < this.q.length) {
      const char = this.q.charAt(this.position++);
      if (this.isInKey) this.readInKey(char);
      else if (this.isQuoted) this.readInQuotes(char);
      else this.readPlain(char);
    }
    if (this.isQuoted || this.isInKey) throw httpErrors.INVALID_REQUEST('q has a quote that is not closed');
    this.endTerm();
    return this.terms;
  }

  private readInKey(char: string): void {
    this.term.push({ char, quoted: true });
    if (char === '\\') this.readEscaped();
    else if (char === '"') this.isInKey = false;
  }

  private readInQuotes(char: string): void {
    if (char === '\\' && this.readEscaped()) return;
    if (char === '"') this.isQuoted = false;
    else this.term.push({ char, quoted: true });
  }

  private readPlain(char: string): void {
    if (char === '"' && this.q.charAt(this.position - 2) === '[') {
      this.isInKey = true;
      this.term.push({ char, quoted: true });
    } else if (char === '"') this.isQuoted = true;
    else if (/\s/.test(char)) this.endTerm();
    else this.term.push({ char, quoted: false });
  }

  /** The character behind a backslash stands for itself; false when there is none. */
  private readEscaped(): boolean {
    if (this.position >= this.q.length) return false;
    this.term.push({ char: this.q.charAt(this.position++), quoted: true });
    return true;
  }

  private endTerm(): void {
    if (this.term.length > 0) this.terms.push(this.term);
    this.term = [];
  }
}

function parseTerm(term: readonly Char[]): InstanceTerm {
  const colon = term.findIndex(({ char, quoted }) => char === ':' && !quoted);
  const name = text(term.slice(0, Math.max(0, colon)));
  const key = KEYS.find((known) => known === name);
  if (colon === -1 || !key)
    throw httpErrors.INVALID_REQUEST(`q: a term must look like key:value, with a key of ${KEYS.join(', ')}`);
  const rest = term.slice(colon + 1);
  if (key !== 'attr') return { key, path: [], parts: partsOf(rest) };
  const second = rest.findIndex(({ char, quoted }) => char === ':' && !quoted);
  if (second < 1) throw httpErrors.INVALID_REQUEST('q: attr must look like attr:<key>:<value>');
  return { key, path: text(rest.slice(0, second)).split('.'), parts: partsOf(rest.slice(second + 1)) };
}

function partsOf(value: readonly Char[]): string[] {
  const parts = [''];
  for (const { char, quoted } of value) {
    if (char === '*' && !quoted) parts.push('');
    else parts[parts.length - 1] += char;
  }
  return parts;
}

function text(chars: readonly Char[]): string {
  return chars.map(({ char }) => char).join('');
}
