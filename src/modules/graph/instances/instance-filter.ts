import { ROOT_MODULE } from '../projection/graph-statistics.rules.js';
import { type InstanceTerm, parseInstanceTerms } from './instance-terms.rules.js';

/** The indexed start of an address; an address itself may be longer than an index entry. */
export const ADDRESS_START = 'left(i.address, 512) COLLATE "C"';

/** SQL conditions over `instances i` for a `q`; values are only ever bound. */
export function instanceConditions(q: string, bind: (value: unknown) => string): string[] {
  return parseInstanceTerms(q).map((term) => condition(term, bind));
}

function condition(term: InstanceTerm, bind: (value: unknown) => string): string {
  switch (term.key) {
    case 'attr':
      return attribute(term, bind);
    case 'module':
      return term.parts.length === 1 && term.parts[0] === ROOT_MODULE
        ? 'i.module IS NULL'
        : matches(`coalesce(i.module, '${ROOT_MODULE}')`, 'i.module', term.parts, bind);
    case 'address':
      return address(term.parts, bind);
    case 'provider':
    case 'resource_address':
    case 'type':
      return matches(`i.${term.key}`, `i.${term.key}`, term.parts, bind);
  }
}

/** Goes through the index by the start of the address. */
function address(parts: readonly string[], bind: (value: unknown) => string): string {
  const [start = ''] = parts;
  if (parts.length === 1) {
    const whole = bind(start);
    return `(i.address = ${whole} AND ${ADDRESS_START} = left(${whole}, 512))`;
  }
  const matching = matches('i.address', 'i.address', parts, bind);
  return start === '' || start.length > 512
    ? matching
    : `(${matching} AND ${ADDRESS_START} LIKE ${bind(`${escaped(start)}%`)})`;
}

function matches(
  loose: string,
  exact: string,
  parts: readonly string[],
  bind: (value: unknown) => string,
): string {
  if (parts.length === 1) return `${exact} = ${bind(parts[0])}`;
  return `${loose} LIKE ${bind(parts.map(escaped).join('%'))}`;
}

/** A value may be a string, or a number or boolean written like it. Keys may hold dots themselves, such as tags do. */
function attribute({ path, parts }: InstanceTerm, bind: (value: unknown) => string): string {
  const [first = '', ...rest] = path;
  const paths = [path, [path.join('.')], ...(rest.length > 1 ? [[first, rest.join('.')]] : [])];
  const leaves = path.length === 1 ? [path] : paths;
  const value = parts.length > 1 ? `LIKE ${bind(parts.map(escaped).join('%'))}` : `= ${bind(parts[0])}`;
  return `(${leaves.map((leaf) => `i.attributes #>> ${bind(leaf)}::text[] ${value}`).join(' OR ')})`;
}

function escaped(text: string): string {
  return text.replace(/[\\%_]/g, (char) => `\\${char}`);
}
