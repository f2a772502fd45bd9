/** A JSON value whose scalars are the tokens as written, so that no number loses a digit. */
export type RawJson = string | RawObject | RawArray;
export interface RawObject {
  entries: [key: string, value: RawJson][];
}
export interface RawArray {
  items: RawJson[];
}

/** Parses minified, already validated JSON text. */
export function parseRaw(text: string): RawJson {
  return new RawParser(text).value();
}

/** Each token is copied once, however deep it stands. */
export function printRaw(value: RawJson): string {
  if (typeof value === 'string') return value;
  const tokens: string[] = [];
  print(value, tokens);
  return tokens.join('');
}

function print(value: RawJson, tokens: string[]): void {
  if (typeof value === 'string') tokens.push(value);
  else if ('items' in value) {
    tokens.push('[');
    let separator = '';
    for (const item of value.items) {
      if (separator !== '') tokens.push(separator);
      print(item, tokens);
      separator = ',';
    }
    tokens.push(']');
  } else {
    tokens.push('{');
    let separator = '';
    for (const [key, item] of value.entries) {
      tokens.push(`${separator}${JSON.stringify(key)}:`);
      print(item, tokens);
      separator = ',';
    }
    tokens.push('}');
  }
}

export function isObject(value: RawJson | undefined): value is RawObject {
  return typeof value === 'object' && 'entries' in value;
}

export function isArray(value: RawJson | undefined): value is RawArray {
  return typeof value === 'object' && 'items' in value;
}

/** Of members of one name the last counts, as for everybody who parses the text. */
export function member(value: RawJson | undefined, key: string): RawJson | undefined {
  return isObject(value) ? value.entries.findLast(([name]) => name === key)?.[1] : undefined;
}

class RawParser {
  private pos = 0;
  constructor(private readonly text: string) {}

  value(): RawJson {
    const char = this.text.charAt(this.pos);
    if (char === '{') return this.object();
    if (char === '[') return this.array();
    return char === '"' ? this.string() : this.token();
  }

  private object(): RawObject {
    const entries: [string, RawJson][] = [];
    this.pos++;
    while (this.text.charAt(this.pos) !== '}') {
      const key = JSON.parse(this.string()) as string;
      this.pos++;
      entries.push([key, this.value()]);
      if (this.text.charAt(this.pos) === ',') this.pos++;
    }
    this.pos++;
    return { entries };
  }

  private array(): RawArray {
    const items: RawJson[] = [];
    this.pos++;
    while (this.text.charAt(this.pos) !== ']') {
      items.push(this.value());
      if (this.text.charAt(this.pos) === ',') this.pos++;
    }
    this.pos++;
    return { items };
  }

  private string(): string {
    const start = this.pos++;
    while (this.text.charAt(this.pos) !== '"') this.pos += this.text.charAt(this.pos) === '\\' ? 2 : 1;
    return this.text.slice(start, ++this.pos);
  }

  private token(): string {
    const start = this.pos;
    while (this.pos < this.text.length && !',]}'.includes(this.text.charAt(this.pos))) this.pos++;
    return this.text.slice(start, this.pos);
  }
}
