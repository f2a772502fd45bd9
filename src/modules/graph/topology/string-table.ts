/** Collects distinct strings, each under a number, for storing. */
export class StringTableWriter {
  private readonly numbers = new Map<string, number>();

  numberOf(text: string): number {
    const known = this.numbers.get(text);
    if (known !== undefined) return known;
    this.numbers.set(text, this.numbers.size);
    return this.numbers.size - 1;
  }

  /** The texts one after the other, and where each begins; the end stands last. */
  finish(): { starts: Uint32Array; text: Buffer } {
    const starts = new Uint32Array(this.numbers.size + 1);
    let at = 0;
    let number = 0;
    for (const text of this.numbers.keys()) starts[++number] = at += Buffer.byteLength(text);
    const bytes = Buffer.allocUnsafe(at);
    number = 0;
    for (const text of this.numbers.keys()) bytes.write(text, starts[number++] ?? 0);
    return { starts, text: bytes };
  }
}

/** Reads what StringTableWriter wrote; a string is decoded once, when it is first asked for. */
export class StringTable {
  private readonly known: (string | undefined)[] = [];

  constructor(
    private readonly starts: Uint32Array,
    private readonly text: Buffer,
  ) {}

  at(number: number): string {
    return (this.known[number] ??= this.text.toString(
      'utf8',
      this.starts[number] ?? 0,
      this.starts[number + 1] ?? 0,
    ));
  }
}
