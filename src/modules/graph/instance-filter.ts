import { ROOT_MODULE } from './graph-statistics.rules.js';
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
    case 'address': {
      const start = term.parts[0] ?? '';
      const indexed =
        start.length > 0 && start.length <= 512
          ? ` AND ${ADDRESS_START} LIKE ${bind(`${escaped(start)}%`)}`
          : '';
      return `(${matches('i.address', 'i.address', term.parts, bind)}${indexed})`;
    }
    case 'provider':
    case 'resource_address':
    case 'type':
      return matches(`i.${term.key}`, `i.${term.key}`, term.parts, bind);
  }
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

/** A value may be a string, or a number or boolean written like it. */
function attribute({ path, parts }: InstanceTerm, bind: (value: unknown) => string): string {
  const leaf = `i.attributes #>> ${bind(path)}::text[]`;
  if (parts.length > 1) return `${leaf} LIKE ${bind(parts.map(escaped).join('%'))}`;
  return `${leaf} = ${bind(parts[0])}`;
}

function escaped(text: string): string {
  return text.replace(/[\\%_]/g, (char) => `\\${char}`);
}
