/**
 * A quoted string of HCL that Terraform reads as `text`. Of `${` and `%{` the first character is written as an escape,
 * because a doubled one is ambiguous after another of its kind.
 */
export function quoteHcl(text: string): string {
  let quoted = '';
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    quoted +=
      (character === '$' || character === '%') && text.charAt(at + 1) === '{'
        ? escapedMark(text, at)
        : escaped(character);
  }
  return `"${quoted}"`;
}

const SHORT: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '"': '\\"',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};

function escapedMark(text: string, at: number): string {
  const mark = text.charAt(at);
  return text.charAt(at - 1) === mark ? unicode(mark) : `${mark}${mark}`;
}

function escaped(character: string): string {
  const code = character.charCodeAt(0);
  return SHORT[character] ?? (code < 0x20 || code === 0x7f ? unicode(character) : character);
}

function unicode(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Attributes of one block, aligned as `terraform fmt` does. Values are HCL already. */
export function attributeLines(
  attributes: readonly (readonly [name: string, value: string])[],
  indent = '  ',
): string[] {
  const width = Math.max(0, ...attributes.map(([name]) => name.length));
  return attributes.map(([name, value]) => `${indent}${name.padEnd(width)} = ${value}`);
}

const MAX_LABEL_LENGTH = 64;

/** `[a-z][a-z0-9_]*` from any text. */
export function labelOf(text: string): string {
  const plain = text
    .toLowerCase()
    .slice(0, 4 * MAX_LABEL_LENGTH)
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, MAX_LABEL_LENGTH)
    .replace(/_+$/, '');
  if (plain === '') return 'resource';
  return /^[a-z]/.test(plain) ? plain : `r_${plain}`;
}

/** Gives each label once: `web`, then `web_2`. */
export class UniqueLabels {
  private readonly taken = new Set<string>();
  private readonly counts = new Map<string, number>();

  take(space: string, label: string): string {
    const key = `${space}.${label}`;
    let unique = label;
    for (let count = this.counts.get(key) ?? 1; this.taken.has(`${space}.${unique}`);) {
      count += 1;
      unique = `${label}_${count}`;
      this.counts.set(key, count);
    }
    this.taken.add(`${space}.${unique}`);
    return unique;
  }
}
