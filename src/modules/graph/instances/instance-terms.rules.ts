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
  const terms: Char[][] = [];
  let term: Char[] = [];
  let quoted = false;
  let inKey = false;
  for (let i = 0; i < q.length; i++) {
    const char = q.charAt(i);
    if (quoted && char === '\\' && i + 1 < q.length) term.push({ char: q.charAt(++i), quoted: true });
    else if (char === '"' && !quoted && !inKey && q.charAt(i - 1) === '[') {
      inKey = true;
      term.push({ char, quoted: true });
    } else if (inKey) {
      term.push({ char, quoted: true });
      if (char === '\\' && i + 1 < q.length) term.push({ char: q.charAt(++i), quoted: true });
      else if (char === '"') inKey = false;
    } else if (char === '"') quoted = !quoted;
    else if (!quoted && /\s/.test(char)) {
      if (term.length > 0) terms.push(term);
      term = [];
    } else term.push({ char, quoted });
  }
  if (quoted || inKey) throw httpErrors.INVALID_REQUEST('q has a quote that is not closed');
  if (term.length > 0) terms.push(term);
  return terms;
}

function parseTerm(term: readonly Char[]): InstanceTerm {
  const colon = term.findIndex(({ char, quoted }) => char === ':' && !quoted);
  const name = text(term.slice(0, Math.max(0, colon)));
  const key = KEYS.find((known) => known === name);
  if (colon === -1 || !key)
    throw httpErrors.INVALID_REQUEST(`q: a term is key:value with one of ${KEYS.join(', ')}`);
  const rest = term.slice(colon + 1);
  if (key !== 'attr') return { key, path: [], parts: partsOf(rest) };
  const second = rest.findIndex(({ char, quoted }) => char === ':' && !quoted);
  if (second < 1) throw httpErrors.INVALID_REQUEST('q: attr is written attr:<key>:<value>');
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
