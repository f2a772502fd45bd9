import fc from 'fast-check';
import { compileTagQuery, RUN_TAGS, parseTagQuery } from '../../src/modules/tag-query/index.js';
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
