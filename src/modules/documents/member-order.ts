const QUOTE = 0x22;

/**
 * Compares two keys of minified JSON by their bytes as written, each from the byte after its opening quote on. The end of
 * a key comes before every byte. Terraform writes the members of attributes in this order.
 */
export function compareKeys(text: Buffer, left: number, right: number): number {
  let [a, b] = [left, right];
  while (text[a] === text[b] && text[a] !== QUOTE) {
    a++;
    b++;
  }
  return rankOf(text[a]) - rankOf(text[b]);
}

function rankOf(byte: number | undefined): number {
  return byte === undefined || byte === QUOTE ? 0 : byte;
}

/**
 * Minified JSON text with the members of every object in one order: those of the outermost in the order of `first`, with
 * others behind, and those of all objects inside by `compareKeys`. Members of one name keep their order.
 */
export function inMemberOrder(text: string, first: readonly string[]): string {
  return new OrderedPrinter(Buffer.from(text)).outermost(first);
}

/** Whether members stand in the order of `first`, with no other among them. */
export function isInOrder(names: Iterable<string>, first: readonly string[]): boolean {
  let previous = -1;
  for (const name of names) {
    const place = first.indexOf(name);
    if (place === -1 || place < previous) return false;
    previous = place;
  }
  return true;
}

interface Member {
  key: number;
  name: string;
  text: string;
}

class OrderedPrinter {
  private pos = 0;
  constructor(private readonly text: Buffer) {}

  outermost(first: readonly string[]): string {
    const members = this.members();
    const place = ({ name }: Member): number => {
      const index = first.indexOf(name);
      return index === -1 ? first.length : index;
    };
    members.sort((a, b) => place(a) - place(b) || compareKeys(this.text, a.key, b.key));
    return printed(members);
  }

  private value(): string {
    const byte = this.text[this.pos];
    if (byte === 0x7b) {
      const members = this.members();
      members.sort((a, b) => compareKeys(this.text, a.key, b.key));
      return printed(members);
    }
    if (byte !== 0x5b) return this.scalar();
    const items: string[] = [];
    this.pos++;
    while (this.text[this.pos] !== 0x5d) {
      items.push(this.value());
      if (this.text[this.pos] === 0x2c) this.pos++;
    }
    this.pos++;
    return `[${items.join(',')}]`;
  }

  private members(): Member[] {
    const members: Member[] = [];
    this.pos++;
    while (this.text[this.pos] !== 0x7d) {
      const key = this.pos + 1;
      const written = this.scalar();
      this.pos++;
      members.push({ key, name: JSON.parse(written) as string, text: `${written}:${this.value()}` });
      if (this.text[this.pos] === 0x2c) this.pos++;
    }
    this.pos++;
    return members;
  }

  /** A string, number or literal, as written. */
  private scalar(): string {
    const start = this.pos;
    if (this.text[this.pos++] === QUOTE) {
      while (this.text[this.pos] !== QUOTE) this.pos += this.text[this.pos] === 0x5c ? 2 : 1;
      this.pos++;
    } else {
      while (this.pos < this.text.length && !isEnd(this.text[this.pos])) this.pos++;
    }
    return this.text.toString('utf8', start, this.pos);
  }
}

function isEnd(byte: number | undefined): boolean {
  return byte === 0x2c || byte === 0x5d || byte === 0x7d;
}

function printed(members: readonly Member[]): string {
  return `{${members.map(({ text }) => text).join(',')}}`;
}
