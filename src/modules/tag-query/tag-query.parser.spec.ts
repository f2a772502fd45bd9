import fc from 'fast-check';
import { AppError } from '../../platform/errors/index.js';
import { MAX_DEPTH, MAX_TERMS, parseTagQuery, TagExpression } from './tag-query.parser.js';
import { MAX_QUERY_BYTES } from './tag-query.scanner.js';

/** The expression with every parenthesis written out. */
function shape(expression: TagExpression): string {
  switch (expression.kind) {
    case 'all':
      return '*';
    case 'term':
      return expression.key === undefined ? expression.value : `${expression.key}:${expression.value}`;
    case 'not':
      return `!${shape(expression.operand)}`;
    case 'and':
    case 'or':
      return `(${expression.operands.map(shape).join(expression.kind === 'and' ? ' & ' : ' | ')})`;
  }
}

function errorOf(text: string): AppError {
  try {
    parseTagQuery(text);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error(`${text} was parsed`);
}

describe('The tag query parser', () => {
  it.each([
    ['', '*'],
    ['   ', '*'],
    ['dir:a', 'dir:a'],
    ['dir:a workspace:b', '(dir:a & workspace:b)'],
    ['a or b c', '(a | (b & c))'],
    ['a and b or c and d', '((a & b) | (c & d))'],
    ['(a or b) c', '((a | b) & c)'],
    ['not a b', '(!a & b)'],
    ['not not a', 'a'],
    ['not (a or b)', '!(a | b)'],
    ['a and not b', '(a & !b)'],
    ['"created_at:2026-01-31 10:00"', 'created_at:2026-01-31 10:00'],
    ["'dir:a b'", 'dir:a b'],
    ['dir:"a b" c', '(dir:a b & c)'],
    ["dir:'a\"b'", 'dir:a"b'],
    ['"and"', 'and'],
    ['branch:feature/x:y', 'branch:feature/x:y'],
    ['environment:', 'environment:'],
    ['environment:""', 'environment:'],
    ['AND', 'AND'],
    ['a\n\tb', '(a & b)'],
  ])('reads %j', (text, expected) => {
    expect(shape(parseTagQuery(text).where)).toBe(expected);
  });

  it.each([
    ['sort:asc', '*', 'asc'],
    ['dir:a sort:desc', 'dir:a', 'desc'],
    ['sort:asc dir:a b', '(dir:a & b)', 'asc'],
    ['dir:a', 'dir:a', undefined],
  ] as const)('takes the sort direction out of %j', (text, where, sort) => {
    const query = parseTagQuery(text);
    expect({ where: shape(query.where), sort: query.sort }).toEqual({ where, sort });
  });

  it.each([
    ['(a', 'the parenthesis is not closed (at position 1)'],
    ['a)', 'unexpected ) (at position 2)'],
    ['()', 'a term is missing before ) (at position 2)'],
    ['a or', 'a term is missing (at position 5)'],
    ['or a', 'a term is missing before or (at position 1)'],
    ['a and and b', 'a term is missing before and (at position 7)'],
    ['not', 'a term is missing (at position 4)'],
    ['dir:"a', 'the quote is not closed (at position 5)'],
    ['"a"b', 'a space must follow a closing quote (at position 4)'],
    ['a"b"', 'a quote must start a term or follow the colon of key:"value" (at position 2)'],
    [':a', 'a key is missing before the colon (at position 1)'],
    ['""', 'a term must not be empty (at position 1)'],
    ['sort:up', 'sort must be sort:asc or sort:desc (at position 1)'],
    ['sort:asc sort:asc', 'sort must not be given twice (at position 10)'],
    ['a or sort:asc', 'sort must not stand inside of or, not or parentheses (at position 6)'],
    ['𝒳 (', 'a term is missing (at position 4)'],
    ['a\0', 'a tag query must not contain a NUL character (at position 2)'],
  ])('refuses %j and says where', (text, message) => {
    expect(errorOf(text)).toMatchObject({ id: 'PARSE_ERROR', status: 400, message });
  });

  it('bounds bytes, terms and nesting', () => {
    const nested = (depth: number): string => `${'('.repeat(depth)}a${')'.repeat(depth)}`;
    expect(() => parseTagQuery(nested(MAX_DEPTH))).not.toThrow();
    expect(errorOf(nested(MAX_DEPTH + 1)).message).toContain('must not nest deeper');
    expect(errorOf(`${'not '.repeat(MAX_DEPTH + 1)}a`).message).toContain('must not nest deeper');
    expect(() => parseTagQuery('a '.repeat(MAX_TERMS))).not.toThrow();
    expect(errorOf('a '.repeat(MAX_TERMS + 1)).message).toContain('must not exceed 200 terms');
    expect(errorOf('é'.repeat(MAX_QUERY_BYTES / 2 + 1)).message).toContain('must not exceed 8192 bytes');
  });

  it('answers any text with a query or with PARSE_ERROR', () => {
    const words = fc.constantFrom(
      'a',
      'and',
      'or',
      'not',
      '(',
      ')',
      'dir:x',
      '"',
      "'",
      ':',
      'sort:asc',
      '"a b"',
      '',
    );
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(words).map((parts) => parts.join(' ')),
    );
    fc.assert(
      fc.property(text, (query) => {
        try {
          return parseTagQuery(query).text === query;
        } catch (error) {
          return error instanceof AppError && error.id === 'PARSE_ERROR';
        }
      }),
      { numRuns: 500 },
    );
  });
});
