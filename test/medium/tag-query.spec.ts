import fc from 'fast-check';
import { compileTagQuery, RUN_TAGS, parseTagQuery } from '../../src/modules/tag-query/index.js';
import { AppError } from '../../src/platform/errors/index.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';

interface Row {
  n: number;
  branch: string;
  username: string | null;
  pull_number: number | null;
  created_at: Date;
}

const BRANCHES = ['main', 'a b', 'and', "it's"];
const USERS = ['ada', 'bob'];
const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe'];
/** Around changes of clocks in all of the zones, and a quiet day. */
const INSTANTS = ['2026-03-28', '2026-03-29', '2026-10-24', '2026-10-25', '2026-11-01', '2026-07-01'];

type Naive = (row: Row, zone: string) => boolean;
interface Clause {
  text: string;
  naive: Naive;
}

/** Local time of an instant as `YYYY-MM-DD HH:MM`, by the browser-standard calendar and not by PostgreSQL. */
function localTime(at: Date, zone: string): string {
  const parts = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    dateStyle: 'short',
    timeStyle: 'short',
    hourCycle: 'h23',
  }).formatToParts(at);
  const part = (type: string): string => parts.find((each) => each.type === type)?.value ?? '';
  return `${part('year')}-${part('month')}-${part('day')} ${part('hour')}:${part('minute')}`;
}

const REFUSALS = ['PARSE_ERROR', 'UNKNOWN_TAG', 'BAD_DATE_FORMAT'];
const nested = (levels: number): string => `${'('.repeat(levels)}branch:main${')'.repeat(levels)}`;

/** Queries that somebody writes to break out of the condition, to break the parser, or to break the database. */
const HOSTILE_QUERIES: readonly [what: string, query: string][] = [
  // Out of the condition
  ['a quote of SQL', `branch:' OR 1=1 --`],
  ['a closed quote of SQL', `branch:"' OR '1'='1"`],
  ['a statement in a value', `branch:"main'; DROP TABLE runs; --"`],
  ['a statement in a bare word', 'branch:main;DROP'],
  ['a comment of SQL', 'branch:main/**/'],
  ['a dash comment', 'branch:main--'],
  ['a placeholder', 'branch:$1'],
  ['a placeholder that is not bound', 'branch:$99'],
  ['a placeholder as a key', '$1:main'],
  ['dollar quotes', 'branch:$$main$$'],
  ['a cast', 'branch:main::int'],
  ['a cast of a number', 'pr:1::text'],
  ['a subquery', 'branch:"(SELECT version())"'],
  ['a function in a date', 'created_at:now()'],
  ['a function in a quoted date', '"created_at:now()"'],
  ['a union', 'branch:main UNION SELECT 1'],
  ['a wildcard', 'branch:%'],
  ['a pattern', 'branch:ma_n'],
  ['a backslash', 'branch:\\'],
  ['a backslash before a quote', `branch:"\\"`],
  ['an escape string', `branch:E'\\x00'`],
  ['a quoted column', `branch:'"username"'`],
  ['a column', 'username:ada'],
  ['another column of the table', 'pull_number:1'],
  ['another table', 'pg_catalog.pg_class:1'],
  ['an operator as a value', 'pr:>1'],
  // Names that objects have
  ['the prototype', '__proto__:main'],
  ['the constructor', 'constructor:main'],
  ['a method of objects', 'toString:main'],
  ['a property of objects', 'hasOwnProperty:main'],
  // The parser
  ['only a parenthesis', '('],
  ['a parenthesis too many', 'branch:main)'],
  ['an empty parenthesis', '()'],
  ['only a keyword', 'not'],
  ['two keywords', 'and or'],
  ['a keyword at the end', 'branch:main or'],
  ['an open quote', `branch:"main`],
  ['an open quote alone', `'`],
  ['quotes within a word', `bra"n"ch:main`],
  ['text behind a quote', `branch:"main"x`],
  ['an empty term', `""`],
  ['a colon', ':'],
  ['colons', ':::'],
  ['an empty key', ':main'],
  ['many colons', 'branch:a:b:c'],
  ['a key in capitals', 'BRANCH:main'],
  ['a key that looks alike', 'br\u0430nch:main'],
  ['51 parentheses', nested(51)],
  ['4,000 parentheses', nested(4000)],
  ['2,000 negations', `${'not '.repeat(2000)}pr:1`],
  ['201 terms', 'pr:1 '.repeat(201)],
  ['a megabyte', 'x'.repeat(1_000_000)],
  ['sort within not', 'not sort:asc'],
  ['an injected order', `sort:"asc, (SELECT 1)"`],
  // Characters
  ['NUL', 'branch:a\0b'],
  ['NUL in quotes', 'branch:"\0"'],
  ['half a surrogate pair', 'branch:\ud800'],
  ['the other half', 'branch:\udc00x'],
  ['text from right to left', 'branch:\u202eniam'],
  ['a byte order mark', '\ufeffbranch:main'],
  ['white space of Unicode', 'branch:main\u00a0pr:1'],
  ['a line break', 'branch:main\npr:1'],
  ['an escape code', 'branch:\u001b[2J'],
  // Values that the database would not take
  ['a number that is too great', 'pr:9223372036854775808'],
  ['a number of 18 digits', 'pr:999999999999999999'],
  ['a negative number', 'pr:-1'],
  ['a fraction', 'pr:1.5'],
  ['an exponent', 'pr:1e9'],
  ['NaN', 'pr:NaN'],
  ['digits of another script', 'pr:\u0661'],
  ['a UUID that is none', 'id:00000000-0000-0000-0000-00000000000g'],
  ['a UUID in braces', 'id:{00000000-0000-0000-0000-000000000000}'],
  ['a month that does not exist', 'created_at:2026-13-01'],
  ['a day that does not exist', 'created_at:2026-02-30'],
  ['the year zero', 'created_at:0000-01-01'],
  ['the last day', 'created_at:9999-12-31'],
  ['a year of five digits', 'created_at:10000-01-01'],
  ['an hour that does not exist', '"created_at:2026-01-01 24:00"'],
  ['an hour that the zone skips', '"created_at:2026-03-29 02:30"'],
  ['infinity', 'created_at:infinity'],
  ['an open range on both sides', 'created_at:..'],
  ['a range backwards', 'created_at:2026-12-31..2026-01-01'],
  ['a range of ranges', 'created_at:2026-01-01..2026-01-02..2026-01-03'],
  ['a zone in a date', 'created_at:2026-01-01T00:00Z'],
];

const quoted = (text: string): string => (text.includes("'") ? `"${text}"` : `'${text}'`);
const day = fc.constantFrom(...INSTANTS);
const leaf: fc.Arbitrary<Clause> = fc.oneof(
  fc.constantFrom(...BRANCHES).map((branch) => ({
    text: `branch:${quoted(branch)}`,
    naive: (row: Row) => row.branch === branch,
  })),
  fc
    .constantFrom(...USERS)
    .map((user) => ({ text: `user:${user}`, naive: (row: Row) => row.username === user })),
  fc.constant({ text: 'user:', naive: (row: Row) => row.username === null }),
  fc.nat(2).map((pr) => ({ text: `pr:${pr}`, naive: (row: Row) => row.pull_number === pr })),
  day.map((date) => ({
    text: `created_at:${date}`,
    naive: (row: Row, zone: string) => localTime(row.created_at, zone).startsWith(date),
  })),
  fc.tuple(day, day).map(([from, to]) => ({
    text: `created_at:${from}..${to}`,
    naive: (row: Row, zone: string) => {
      const date = localTime(row.created_at, zone).slice(0, 10);
      return date >= from && date < to;
    },
  })),
  day.map((date) => ({
    text: `created_at:..${date}`,
    naive: (row: Row, zone: string) => localTime(row.created_at, zone).slice(0, 10) < date,
  })),
);

const { clause } = fc.letrec<{ clause: Clause }>((tie) => ({
  clause: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    tie('clause').map(({ text, naive }) => ({
      text: `not (${text})`,
      naive: (row: Row, zone: string) => !naive(row, zone),
    })),
    fc.tuple(tie('clause'), tie('clause'), fc.constantFrom(' ', ' and ')).map(([left, right, join]) => ({
      text: `(${left.text})${join}(${right.text})`,
      naive: (row: Row, zone: string) => left.naive(row, zone) && right.naive(row, zone),
    })),
    fc.tuple(tie('clause'), tie('clause')).map(([left, right]) => ({
      text: `(${left.text}) or (${right.text})`,
      naive: (row: Row, zone: string) => left.naive(row, zone) || right.naive(row, zone),
    })),
  ),
}));

describe('A compiled tag query on PostgreSQL', () => {
  let database: TestDatabase;
  const rows: Row[] = [];

  beforeAll(async () => {
    database = await freshDatabase();
    await database.pool.query(
      'CREATE TABLE runs (n int, branch text, username text, pull_number int, created_at timestamptz)',
    );
    let n = 0;
    for (const instant of INSTANTS)
      for (let minutes = 0; minutes < 48 * 60; minutes += 97) {
        const row: Row = {
          n,
          branch: BRANCHES[n % BRANCHES.length] ?? '',
          username: n % 3 === 0 ? null : (USERS[n % USERS.length] ?? null),
          pull_number: n % 4 === 0 ? null : n % 3,
          created_at: new Date(Date.parse(`${instant}T00:00:00Z`) + (minutes - 720) * 60_000),
        };
        rows.push(row);
        n++;
        await database.pool.query('INSERT INTO runs VALUES ($1, $2, $3, $4, $5)', Object.values(row));
      }
  });
  afterAll(async () => database.drop());

  async function selected(text: string, timeZone: string): Promise<number[]> {
    const { condition, parameters } = compileTagQuery(parseTagQuery(text), {
      catalog: RUN_TAGS,
      timeZone,
      bound: 0,
      columns: {
        id: 'NULL::uuid',
        branch: 'branch',
        repo: 'branch',
        user: 'username',
        environment: 'username',
        kind: 'branch',
        type: 'branch',
        created_at: 'created_at',
        pr: 'pull_number',
        dir: 'branch',
        workspace: 'branch',
        state: 'branch',
      },
    });
    const result = await database.pool.query<{ n: number }>(
      `SELECT n FROM runs WHERE ${condition} ORDER BY n`,
      parameters,
    );
    return result.rows.map((row) => row.n);
  }

  it('selects what a naive evaluation selects, in every zone', async () => {
    await fc.assert(
      fc.asyncProperty(clause, fc.constantFrom(...ZONES), async ({ text, naive }, zone) => {
        const expected = rows.filter((row) => naive(row, zone)).map((row) => row.n);
        expect(await selected(text, zone)).toEqual(expected);
      }),
      { numRuns: 200 },
    );
  });

  it.each(HOSTILE_QUERIES)('is refused, or a condition like any other: %s', async (_, text) => {
    for (const zone of ZONES) {
      const found = await selected(text, zone).catch((error: unknown) => error);
      if (!Array.isArray(found)) {
        if (!(found instanceof AppError)) throw found;
        expect(REFUSALS).toContain(found.id);
        continue;
      }
      // A condition that was broken out of would be true of every row.
      expect(found).not.toHaveLength(rows.length);
    }
    const { rows: counted } = await database.pool.query('SELECT 1 FROM runs');
    expect(counted).toHaveLength(rows.length);
  });

  it('refuses a zone that is hostile or unknown', async () => {
    for (const zone of [
      "UTC'; DROP TABLE runs; --",
      '../UTC',
      'UTC\0',
      'Nowhere/Land',
      '',
      'x'.repeat(10_000),
    ])
      await expect(selected('created_at:2026-01-01', zone)).rejects.toMatchObject({ id: 'PARSE_ERROR' });
  });

  it('finds one minute of real time when a local minute occurs twice', async () => {
    const twice = ['2026-10-25T00:30:20Z', '2026-10-25T01:30:20Z'];
    for (const [index, instant] of twice.entries())
      await database.pool.query("INSERT INTO runs VALUES ($1, 'clock', NULL, NULL, $2)", [
        9000 + index,
        instant,
      ]);
    expect(await selected('branch:clock created_at:2026-10-25', 'Europe/Berlin')).toEqual([9000, 9001]);
    expect(await selected('"created_at:2026-10-25 02:30" branch:clock', 'Europe/Berlin')).toEqual([9001]);
    await database.pool.query("DELETE FROM runs WHERE branch = 'clock'");
  });
});
