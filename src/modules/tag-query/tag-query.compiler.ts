import { DateRange, isTimeZone, parseDateRange } from './date-range.rules.js';
import { RUN_KINDS, TagCatalog, TagType } from './tag-catalogs.js';
import { parseErrorAt, tagQueryErrors } from './tag-query.errors.js';
import { TagExpression, TagQuery, TagTerm } from './tag-query.parser.js';
import { isUuid } from '../../platform/text/uuid.js';

/**
 * How a key is compared in SQL: a column, or a condition made from one for keys that live in another table
 * (`(compare) => EXISTS (… AND ${compare('d.dir')})`).
 */
export type TagColumn = string | ((compare: (column: string) => string) => string);
export type TagColumns<C extends TagCatalog> = Readonly<Record<keyof C & string, TagColumn>>;

export interface CompileOptions<C extends TagCatalog> {
  catalog: C;
  columns: TagColumns<C>;
  /** IANA name of the zone that dates are meant in. */
  timeZone: string;
  /** Values already bound: the first placeholder is `$<bound + 1>`. */
  bound: number;
}

/** One SQL condition; every value of the query is a bound parameter, none of them is in the text. */
export interface CompiledTagQuery {
  condition: string;
  parameters: unknown[];
}

/** PostgreSQL's `bigint` has 19 digits; 18 always fit. */
const INTEGER = /^\d{1,18}$/;

/**
 * Compiles a parsed query against a catalogue of keys. A row in which a key is absent does not have that key's value:
 * `not user:ada` matches it. Throws UNKNOWN_TAG, BAD_DATE_FORMAT, or PARSE_ERROR for a value of the wrong form.
 */
export function compileTagQuery<C extends TagCatalog>(
  query: TagQuery,
  options: CompileOptions<C>,
): CompiledTagQuery {
  if (!isTimeZone(options.timeZone)) throw tagQueryErrors.PARSE_ERROR('tz must be the name of a time zone');
  const compiler = new TagQueryCompiler(query, options);
  return { condition: compiler.compile(query.where), parameters: compiler.parameters };
}

class TagQueryCompiler<C extends TagCatalog> {
  readonly parameters: unknown[] = [];
  private zone: string | undefined;

  constructor(
    private readonly query: TagQuery,
    private readonly options: CompileOptions<C>,
  ) {}

  compile(expression: TagExpression): string {
    switch (expression.kind) {
      case 'all':
        return 'TRUE';
      case 'term':
        return this.term(expression);
      case 'not':
        // An absent value compares as NULL; its negation has to be true.
        return `((${this.compile(expression.operand)}) IS NOT TRUE)`;
      case 'and':
      case 'or':
        return `(${expression.operands
          .map((operand) => this.compile(operand))
          .join(expression.kind === 'and' ? ' AND ' : ' OR ')})`;
    }
  }

  private term(term: TagTerm): string {
    const { catalog, columns } = this.options;
    const key = term.key;
    if (key === undefined || !Object.hasOwn(catalog, key))
      throw tagQueryErrors.UNKNOWN_TAG(
        `${key === undefined ? 'a tag without a key' : `key ${JSON.stringify(key.slice(0, 64))}`} is not supported here; use one of ${Object.keys(catalog).join(', ')}`,
      );
    const column = columns[key] as TagColumn;
    const type = catalog[key] as TagType;
    const test = term.value === '' ? null : this.comparison(type, term);
    const compare = (name: string): string => (test ? test(name) : `${name} IS NULL`);
    return typeof column === 'string' ? compare(column) : column(compare);
  }

  private comparison(type: TagType, term: TagTerm): (column: string) => string {
    const { value } = term;
    switch (type) {
      case 'text':
        return this.equals(value);
      case 'uuid':
        if (!isUuid(value)) throw this.wrongValue(term, 'a UUID');
        return this.equals(value.toLowerCase(), 'uuid');
      case 'integer':
        if (!INTEGER.test(value)) throw this.wrongValue(term, 'a whole number');
        return this.equals(value, 'bigint');
      case 'boolean':
        if (value !== 'true' && value !== 'false') throw this.wrongValue(term, 'true or false');
        return this.equals(value, 'boolean');
      case 'kind':
        if (!RUN_KINDS.some((kind) => kind === value)) throw this.wrongValue(term, RUN_KINDS.join(', '));
        return this.equals(value);
      case 'date':
        return this.within(parseDateRange(value));
    }
  }

  private equals(value: string, type?: string): (column: string) => string {
    const placeholder = this.bind(value);
    return (column) => `${column} = ${placeholder}${type ? `::${type}` : ''}`;
  }

  private within(range: DateRange): (column: string) => string {
    const from = range.from === undefined ? undefined : this.instant(range.from);
    const to = range.to === undefined ? undefined : this.instant(range.to);
    return (column) => {
      const bounds: string[] = [];
      if (from) bounds.push(`${column} >= ${from}`);
      if (to) bounds.push(`${column} < ${to}`);
      if (from && range.minute) bounds.push(`${column} < ${from} + interval '1 minute'`);
      return `(${bounds.join(' AND ')})`;
    };
  }

  private instant(local: string): string {
    this.zone ??= this.bind(this.options.timeZone);
    return `(${this.bind(local)}::timestamp AT TIME ZONE ${this.zone}::text)`;
  }

  private bind(value: string): string {
    this.parameters.push(value);
    return `$${this.options.bound + this.parameters.length}`;
  }

  private wrongValue(term: TagTerm, expected: string): Error {
    return parseErrorAt(this.query.text, term.offset, `the value of ${term.key} must be ${expected}`);
  }
}
