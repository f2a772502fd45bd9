import { RUN_TAGS } from './tag-catalogs.js';
import { CompiledTagQuery, compileTagQuery } from './tag-query.compiler.js';
import { parseTagQuery } from './tag-query.parser.js';

const COLUMNS = {
  id: 'm.id',
  branch: 'm.branch',
  repo: 'r.name',
  user: 'm.username',
  environment: 'm.environment',
  kind: 'm.kind',
  type: 'm.run_type',
  created_at: 'm.created_at',
  pr: 'm.pull_number',
  dir: (compare: (column: string) => string) => `EXISTS (SELECT 1 FROM d WHERE ${compare('d.dir')})`,
  workspace: 'm.workspace',
  state: 'm.state',
};

function compile(text: string, timeZone = 'UTC'): CompiledTagQuery {
  return compileTagQuery(parseTagQuery(text), { catalog: RUN_TAGS, columns: COLUMNS, timeZone, bound: 2 });
}

describe('A compiled tag query', () => {
  it('binds every value and keeps them out of the text', () => {
    expect(compile(`user:"x' OR 1=1 --" pr:7 or dir:a`)).toEqual({
      condition:
        '((m.username = $3 AND m.pull_number = $4::bigint) OR EXISTS (SELECT 1 FROM d WHERE d.dir = $5))',
      parameters: ["x' OR 1=1 --", '7', 'a'],
    });
  });

  it('treats an empty value as absence, and the negation of an absent value as true', () => {
    expect(compile('environment: not user:ada')).toEqual({
      condition: '(m.environment IS NULL AND ((m.username = $3) IS NOT TRUE))',
      parameters: ['ada'],
    });
  });

  it('compares dates as half-open ranges of instants in the zone of the caller', () => {
    expect(compile('created_at:2026-01-31', 'Europe/Berlin')).toEqual({
      condition:
        '(m.created_at >= ($4::timestamp AT TIME ZONE $3::text) AND m.created_at < ($5::timestamp AT TIME ZONE $3::text))',
      parameters: ['Europe/Berlin', '2026-01-31 00:00', '2026-02-01 00:00'],
    });
  });

  it.each([
    ['id:7', 'PARSE_ERROR'],
    ['pr:x', 'PARSE_ERROR'],
    ['pr:-1', 'PARSE_ERROR'],
    ['pr:99999999999999999999', 'PARSE_ERROR'],
    ['kind:other', 'PARSE_ERROR'],
    ['created_at:soon', 'BAD_DATE_FORMAT'],
    ['core', 'UNKNOWN_TAG'],
    ['step:x', 'UNKNOWN_TAG'],
    ['constructor:x', 'UNKNOWN_TAG'],
    ['__proto__:x', 'UNKNOWN_TAG'],
  ])('refuses %s with %s', (text, id) => {
    expect(() => compile(text)).toThrow(expect.objectContaining({ id, status: 400 }));
  });

  it('refuses a zone that does not exist', () => {
    expect(() => compile('', 'Mars/Olympus')).toThrow(expect.objectContaining({ id: 'PARSE_ERROR' }));
  });
});
