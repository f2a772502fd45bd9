import { parseErrorAt } from './tag-query.errors.js';
import { scanTagQuery, Token } from './tag-query.scanner.js';

export const MAX_TERMS = 200;
export const MAX_DEPTH = 50;

/** `key:value`, or a bare tag without a key. `offset` is where the term starts in the query. */
export interface TagTerm {
  kind: 'term';
  key: string | undefined;
  value: string;
  offset: number;
}
export type TagExpression =
  | TagTerm
  | { kind: 'all' }
  | { kind: 'not'; operand: TagExpression }
  | { kind: 'and' | 'or'; operands: TagExpression[] };

export type SortDirection = 'asc' | 'desc';

/** `sort:` is a directive of the whole query, not a condition. */
export interface TagQuery {
  text: string;
  where: TagExpression;
  sort: SortDirection | undefined;
}

/**
 * Parses a tag query (notes 9.6): terms side by side or joined by `and`, `or`, `not`, parentheses; `and` binds tighter
 * than `or`. An empty query matches everything. Throws PARSE_ERROR with a position.
 */
export function parseTagQuery(text: string): TagQuery {
  const parser = new TagQueryParser(text, scanTagQuery(text));
  return parser.parse();
}

class TagQueryParser {
  private next = 0;
  private terms = 0;
  private depth = 0;
  private sort: SortDirection | undefined;

  constructor(
    private readonly text: string,
    private readonly tokens: readonly Token[],
  ) {}

  parse(): TagQuery {
    if (this.tokens.length === 0) return { text: this.text, where: { kind: 'all' }, sort: undefined };
    const where = this.parseAlternatives();
    const rest = this.tokens[this.next];
    if (rest) throw this.errorAt(rest, 'unexpected )');
    return { text: this.text, where: this.extractSort(where), sort: this.sort };
  }

  private parseAlternatives(): TagExpression {
    const operands = [this.parseConjunction()];
    while (this.takeKeyword('or')) operands.push(this.parseConjunction());
    return operands.length === 1 ? (operands[0] as TagExpression) : { kind: 'or', operands };
  }

  private parseConjunction(): TagExpression {
    const operands = [this.parseNegation()];
    for (;;) {
      const joined = this.takeKeyword('and');
      if (!joined && !this.startsOperand()) break;
      operands.push(this.parseNegation());
    }
    return operands.length === 1 ? (operands[0] as TagExpression) : { kind: 'and', operands };
  }

  private parseNegation(): TagExpression {
    let negations = 0;
    while (this.takeKeyword('not')) this.countDepth(++negations);
    const operand = this.parsePrimary();
    return negations % 2 === 1 ? { kind: 'not', operand } : operand;
  }

  private parsePrimary(): TagExpression {
    const token = this.tokens[this.next];
    if (!token) throw parseErrorAt(this.text, this.text.length, 'a term is missing');
    if (token.kind === 'close') throw this.errorAt(token, 'a term is missing before )');
    if (token.kind === 'word') {
      if (keywordOf(token)) throw this.errorAt(token, `a term is missing before ${token.text}`);
      this.next++;
      return this.term(token);
    }
    this.next++;
    this.countDepth(++this.depth);
    const inner = this.parseAlternatives();
    if (this.tokens[this.next]?.kind !== 'close') throw this.errorAt(token, 'the parenthesis is not closed');
    this.next++;
    this.depth--;
    return inner;
  }

  private term(token: Token & { kind: 'word' }): TagTerm {
    if (++this.terms > MAX_TERMS) throw this.errorAt(token, `a tag query must not exceed ${MAX_TERMS} terms`);
    const colon = token.text.indexOf(':');
    if (colon === 0) throw this.errorAt(token, 'a key is missing before the colon');
    if (colon < 0) {
      if (token.text === '') throw this.errorAt(token, 'a term must not be empty');
      return { kind: 'term', key: undefined, value: token.text, offset: token.offset };
    }
    const key = token.text.slice(0, colon);
    return { kind: 'term', key, value: token.text.slice(colon + 1), offset: token.offset };
  }

  /** Takes `sort:` terms out of the top-level conjunction; anywhere else they would have no meaning. */
  private extractSort(where: TagExpression): TagExpression {
    const operands = where.kind === 'and' ? where.operands : [where];
    const conditions = operands.filter((operand) => !this.isSort(operand));
    for (const operand of conditions) this.refuseSortWithin(operand);
    if (conditions.length === operands.length) return where;
    if (conditions.length === 0) return { kind: 'all' };
    return conditions.length === 1 ? (conditions[0] as TagExpression) : { kind: 'and', operands: conditions };
  }

  private isSort(operand: TagExpression): boolean {
    if (operand.kind !== 'term' || operand.key !== 'sort') return false;
    if (operand.value !== 'asc' && operand.value !== 'desc')
      throw parseErrorAt(this.text, operand.offset, 'sort must be sort:asc or sort:desc');
    if (this.sort) throw parseErrorAt(this.text, operand.offset, 'sort must not be given twice');
    this.sort = operand.value;
    return true;
  }

  private refuseSortWithin(expression: TagExpression): void {
    if (expression.kind === 'term' && expression.key === 'sort')
      throw parseErrorAt(
        this.text,
        expression.offset,
        'sort must not stand inside of or, not or parentheses',
      );
    if (expression.kind === 'not') this.refuseSortWithin(expression.operand);
    if (expression.kind === 'and' || expression.kind === 'or')
      for (const operand of expression.operands) this.refuseSortWithin(operand);
  }

  private countDepth(depth: number): void {
    if (depth > MAX_DEPTH)
      throw parseErrorAt(
        this.text,
        this.tokens[this.next - 1]?.offset ?? 0,
        `a tag query must not nest deeper than ${MAX_DEPTH} levels`,
      );
  }

  private startsOperand(): boolean {
    const token = this.tokens[this.next];
    return token !== undefined && token.kind !== 'close' && keywordOf(token) !== 'or';
  }

  private takeKeyword(keyword: Keyword): boolean {
    const token = this.tokens[this.next];
    if (!token || keywordOf(token) !== keyword) return false;
    this.next++;
    return true;
  }

  private errorAt(token: Token, problem: string): Error {
    return parseErrorAt(this.text, token.offset, problem);
  }
}

type Keyword = 'and' | 'or' | 'not';

function keywordOf(token: Token): Keyword | undefined {
  if (token.kind !== 'word' || token.quoted) return undefined;
  return token.text === 'and' || token.text === 'or' || token.text === 'not' ? token.text : undefined;
}
