import { Decimal } from './decimal.js';

/** What stands in stored attributes instead of a secret. */
const MASKED = '(sensitive value)';
/** A quantity beyond this is no quantity. */
const MAX_QUANTITY = 1e15;

/** Collects which attributes could not be read, in the order of reading. */
export class ReadLog {
  /** names of attributes that are unknown, masked or absurd; since the last `reset` */
  unreadable: string | undefined;
  /** every attribute whose value was looked at; for tests */
  readonly paths = new Set<string>();

  note(path: string): void {
    this.unreadable ??= path;
  }
}

/**
 * Reads attributes of any shape. What is missing is undefined (or the default); what is unknown, masked or absurd is
 * undefined too and noted in the log, so that no component that is described afterwards gets a quantity or price.
 */
export class AttributeReader {
  constructor(
    private readonly value: unknown,
    /** the plan's `after_unknown`: true, or an object with the same keys */
    private readonly unknown: unknown,
    private readonly log: ReadLog,
    private readonly path = '',
  ) {}

  text(name: string): string | undefined {
    const value = this.read(name);
    if (value === undefined) return undefined;
    if (typeof value === 'string') return value;
    if (typeof value === 'number' || typeof value === 'boolean') return String(value);
    return this.refuse(name);
  }

  /** As `text`; missing is as bad as unknown. */
  required(name: string): string {
    const value = this.text(name);
    if (value !== undefined && value !== '') return value;
    this.log.note(this.at(name));
    return 'unknown';
  }

  /** Not negative and below 10^15. */
  number(name: string): Decimal | undefined {
    const value = this.read(name);
    if (value === undefined || value === '') return undefined;
    if (typeof value !== 'number' && typeof value !== 'string') return this.refuse(name);
    const number =
      typeof value === 'number' && Number.isSafeInteger(value)
        ? Decimal.of(value)
        : Decimal.parse(String(value));
    return number === undefined || number.isNegative() || number.isMore(MAX_QUANTITY)
      ? this.refuse(name)
      : number;
  }

  flag(name: string): boolean | undefined {
    const value = this.read(name);
    if (value === undefined) return undefined;
    if (typeof value === 'boolean') return value;
    if (value === 'true' || value === 'false') return value === 'true';
    return this.refuse(name);
  }

  isTrue(name: string): boolean {
    return this.flag(name) === true;
  }

  /** Nested blocks; a single object counts as a list of one. */
  blocks(name: string): AttributeReader[] {
    const value = this.read(name);
    if (value === undefined) return [];
    const unknown = this.unknownOf(name);
    if (!Array.isArray(value)) {
      if (typeof value === 'object')
        return [new AttributeReader(value, unknown, this.log, `${this.at(name)}.`)];
      this.refuse(name);
      return [];
    }
    const items = value as unknown[];
    const readers: AttributeReader[] = [];
    for (const [index, item] of items.entries()) {
      const mark: unknown = Array.isArray(unknown) ? unknown[index] : undefined;
      if (mark === true || (item !== null && typeof item !== 'object')) this.log.note(this.at(name));
      else if (item !== null)
        readers.push(new AttributeReader(item, mark, this.log, `${this.at(name)}[${index}].`));
    }
    return readers;
  }

  first(name: string): AttributeReader | undefined {
    return this.blocks(name)[0];
  }

  /** The first block, or one without attributes. */
  block(name: string): AttributeReader {
    return this.first(name) ?? new AttributeReader({}, undefined, this.log, `${this.at(name)}.`);
  }

  /** Items of a list that are text. */
  texts(name: string): string[] {
    const value = this.read(name);
    if (value === undefined) return [];
    if (!Array.isArray(value)) return typeof value === 'string' ? [value] : (this.refuse(name), []);
    const items = value as unknown[];
    const unknown = this.unknownOf(name);
    if (items.includes(MASKED) || (Array.isArray(unknown) && unknown.includes(true)))
      this.log.note(this.at(name));
    return items.filter((item): item is string => typeof item === 'string');
  }

  /** Names of the map's keys, such as of labels. */
  has(name: string): boolean {
    return this.read(name) !== undefined;
  }

  /** Like this reader, but what a plan leaves unknown counts as missing: the provider computes what is not configured. */
  get computed(): AttributeReader {
    return new AttributeReader(this.value, undefined, this.log, this.path);
  }

  private read(name: string): unknown {
    this.log.paths.add(this.at(name));
    if (this.unknownOf(name) === true) return this.refuse(name);
    const value =
      typeof this.value === 'object' && this.value !== null && Object.hasOwn(this.value, name)
        ? (this.value as Record<string, unknown>)[name]
        : undefined;
    if (value === MASKED) return this.refuse(name);
    return value ?? undefined;
  }

  private unknownOf(name: string): unknown {
    const { unknown } = this;
    if (unknown === true) return true;
    if (typeof unknown !== 'object' || unknown === null || !Object.hasOwn(unknown, name)) return undefined;
    return (unknown as Record<string, unknown>)[name];
  }

  private refuse(name: string): undefined {
    this.log.note(this.at(name));
    return undefined;
  }

  private at(name: string): string {
    return `${this.path}${name}`;
  }
}
