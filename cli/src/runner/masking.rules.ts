/** What a sensitive value looks like in output: as it is, line by line, in URLs and in base64 at every alignment. */
const MASK = '***';
/** Shorter pieces of base64 would hide half of any text. */
const MIN_BASE64_BYTES = 6;

export class Masker {
  private readonly values = new Set<string>();
  private pattern: RegExp | undefined;
  private longest = 0;
  /** the values by their first character */
  private byFirst = new Map<string, string[]>();

  /** Empty values and lines are not sensitive. */
  add(value: string): void {
    for (const form of [value, ...value.split(/\r?\n/)].flatMap(formsOf))
      if (form !== '') this.values.add(form);
    const sorted = [...this.values].toSorted((a, b) => b.length - a.length);
    this.longest = sorted[0]?.length ?? 0;
    this.byFirst = new Map();
    for (const form of sorted) {
      const known = this.byFirst.get(form.charAt(0));
      if (known) known.push(form);
      else this.byFirst.set(form.charAt(0), [form]);
    }
    this.pattern = sorted.length === 0 ? undefined : new RegExp(sorted.map(escaped).join('|'), 'g');
  }

  mask(text: string): string {
    return this.pattern ? text.replace(this.pattern, MASK) : text;
  }

  /** Of a JSON value, every text in it. */
  maskAll<T>(value: T): T {
    if (!this.pattern) return value;
    if (typeof value === 'string') return this.mask(value) as T;
    if (Array.isArray(value)) return value.map((item: unknown) => this.maskAll(item)) as T;
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [this.mask(key), this.maskAll(inner as unknown)]),
    ) as T;
  }

  /** For text that comes in chunks: what may still become a sensitive value is held back until more has come. */
  stream(emit: (text: string) => void): { write(text: string): void; end(): void } {
    let held = '';
    return {
      write: (text) => {
        held += text;
        const boundary = held.length - this.pending(held);
        if (boundary <= 0) return;
        const { masked, used } = this.maskUpTo(held, boundary);
        held = held.slice(used);
        if (masked !== '') emit(masked);
      },
      end: () => {
        if (held !== '') emit(this.mask(held));
        held = '';
      },
    };
  }

  /** Length of the end of a text that may still become a sensitive value. */
  private pending(text: string): number {
    for (let start = Math.max(0, text.length - this.longest + 1); start < text.length; start++) {
      const values = this.byFirst.get(text.charAt(start));
      if (!values) continue;
      const end = text.slice(start);
      if (values.some((value) => value.length > end.length && value.startsWith(end))) return end.length;
    }
    return 0;
  }

  /** Masks all that begins before the boundary; a match that crosses it is complete, for no value is longer. */
  private maskUpTo(text: string, boundary: number): { masked: string; used: number } {
    let masked = '';
    let used = 0;
    for (const match of this.pattern ? text.matchAll(this.pattern) : []) {
      if (match.index >= boundary) break;
      masked += text.slice(used, match.index) + MASK;
      used = match.index + match[0].length;
    }
    if (used < boundary) {
      masked += text.slice(used, boundary);
      used = boundary;
    }
    return { masked, used };
  }
}

function formsOf(value: string): string[] {
  if (value.trim() === '') return [];
  return [value, encodeURIComponent(value), JSON.stringify(value).slice(1, -1), ...base64FormsOf(value)];
}

/** The characters that are the same whatever stands before and behind the value. */
function base64FormsOf(value: string): string[] {
  const bytes = Buffer.from(value);
  if (bytes.length < MIN_BASE64_BYTES) return [];
  const forms = [0, 1, 2].flatMap((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    const start = [0, 2, 3][offset] ?? 0;
    const end = (offset + bytes.length) % 3 === 0 ? encoded.length : encoded.length - 1;
    return [encoded.slice(start, end)];
  });
  return [...forms, ...forms.map((form) => form.replaceAll('+', '-').replaceAll('/', '_'))];
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
