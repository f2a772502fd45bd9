import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { type DriftRun, driftIssueChanges, type OpenIssue } from './drift-issues.rules.js';

const run = (
  dirspaces: DriftRun['dirspaces'],
  tagQuery = '',
  environment: string | null = null,
): DriftRun => ({
  repo: 'acme/infra',
  tagQuery,
  environment,
  runPage: 'http://service/runs/1',
  dirspaces,
});
const differs = (dir: string, plan = `plan of ${dir}`) => ({
  dir,
  workspace: 'default',
  state: 'success',
  hasChanges: true,
  summary: { add: 0, change: 1, destroy: 0 },
  plan,
});
const agrees = (dir: string) => ({ ...differs(dir, ''), hasChanges: false, summary: null });
const failed = (dir: string) => ({ ...agrees(dir), state: 'failure', hasChanges: null });

/** Issues as they stand after the changes were made. */
function after(open: readonly OpenIssue[], changes: ReturnType<typeof driftIssueChanges>): OpenIssue[] {
  const left = open.filter(({ number }) => !changes.close.includes(number));
  return [...left, ...changes.create.map(({ body }, n) => ({ number: 1000 + left.length + n, body }))];
}

describe('Issues about drift', () => {
  it('are one for the run, and none when an open one says the same', () => {
    const first = driftIssueChanges([], run([differs('a'), differs('b'), agrees('c')]), 'all');
    expect(first.create).toHaveLength(1);
    expect(first.create[0]?.title).toBe('Drift: acme/infra');
    expect(first.create[0]?.body).toContain('plan of b');
    expect(first.create[0]?.body).not.toContain('`c`');
    const open = after([], first);
    expect(driftIssueChanges(open, run([differs('a'), differs('b'), agrees('c')]), 'all')).toEqual({
      create: [],
      close: [],
    });
  });

  it('are one for each dirspace when grouped so', () => {
    const { create } = driftIssueChanges([], run([differs('a'), differs('b')]), 'dirspace');
    expect(create.map(({ title }) => title)).toEqual(['Drift: a (default)', 'Drift: b (default)']);
  });

  it('are replaced by one that says what differs now, and closed when nothing does', () => {
    const open = after([], driftIssueChanges([], run([differs('a')]), 'all'));
    const changed = driftIssueChanges(open, run([differs('a', 'another plan')]), 'all');
    expect(changed).toMatchObject({ create: [{}], close: [open[0]?.number] });
    expect(driftIssueChanges(open, run([agrees('a')]), 'all')).toEqual({
      create: [],
      close: [open[0]?.number],
    });
  });

  it('stay open while a dirspace could not be looked at', () => {
    const open = after([], driftIssueChanges([], run([differs('a')]), 'all'));
    expect(driftIssueChanges(open, run([failed('a')]), 'all')).toEqual({ create: [], close: [] });
  });

  it.each(['all', 'dirspace'] as const)('stay open while what they name is held (%s)', (grouping) => {
    const open = after([], driftIssueChanges([], run([differs('a')]), grouping));
    expect(driftIssueChanges(open, run([agrees('b')]), grouping)).toEqual({ create: [], close: [] });
    expect(driftIssueChanges(open, run([agrees('a'), agrees('b')]), grouping).close).toHaveLength(1);
  });

  it('name what is held or failed as long as nobody has looked at it again', () => {
    const first = run([differs('a', '- `x` (`default`)'), differs('b'), differs('c')]);
    let open = after([], driftIssueChanges([], first, 'all'));
    for (const later of [[differs('c')], [failed('a'), failed('b'), differs('c')]]) {
      const changes = driftIssueChanges(open, run(later), 'all');
      open = after(open, changes);
      expect(open).toHaveLength(1);
      for (const dir of ['a', 'b', 'c']) expect(open[0]?.body).toContain(`- \`${dir}\` (\`default\`)`);
      expect(open[0]?.body).not.toContain('`x`');
    }
    expect(driftIssueChanges(open, run([differs('c')]), 'all')).toEqual({ create: [], close: [] });
    open = after(open, driftIssueChanges(open, run([agrees('a'), differs('c')]), 'all'));
    expect(open[0]?.body).not.toContain('`a`');
    expect(open[0]?.body).toContain('- `b` (`default`)');
    open = after(open, driftIssueChanges(open, run([agrees('b'), agrees('c')]), 'all'));
    expect(open).toEqual([]);
  });

  it.each(['all', 'dirspace'] as const)('name what is held when something else differs (%s)', (grouping) => {
    const open = after([], driftIssueChanges([], run([differs('a')]), grouping));
    const left = after(open, driftIssueChanges(open, run([differs('b')]), grouping));
    const bodies = left.map(({ body }) => body).join('');
    expect(bodies).toContain('- `a` (`default`)');
    expect(bodies).toContain('- `b` (`default`)');
  });

  it('drift issues of another schedule or of other people are left alone', () => {
    const open = [
      ...after([], driftIssueChanges([], run([differs('a')], 'dir:a'), 'all')),
      { number: 7, body: 'mine' },
    ];
    expect(driftIssueChanges(open, run([agrees('b')], 'dir:b'), 'all')).toEqual({ create: [], close: [] });
  });

  it('of each environment are its own, though one schedule looks at all of them', () => {
    const [live, test] = [run([differs('live')], '', 'live'), run([differs('test')], '', 'test')];
    let open: OpenIssue[] = [];
    for (const each of [live, test, live, test]) open = after(open, driftIssueChanges(open, each, 'all'));
    expect(open).toHaveLength(2);
    const { create } = driftIssueChanges([], live, 'all');
    expect(create[0]?.title).toBe('Drift: acme/infra (live)');
    expect(driftIssueChanges(open, run([agrees('test')], '', 'test'), 'all').close).toEqual([1001]);
    expect(driftIssueChanges(open, run([agrees('other')]), 'all').close).toEqual([]);
  });

  it('of older versions, which kept all environments apart by nothing, belong to that of their directories', () => {
    const older = createHash('sha256')
      .update(JSON.stringify(['all', '']))
      .digest('hex')
      .slice(0, 32);
    const asOlder = ({ body = '' }: { body?: string } = {}): string =>
      body.replace(/infrastate-drift [0-9a-f]{32}/, `infrastate-drift ${older}`);
    const live = run([differs('live')], '', 'live');
    const open = [{ number: 5, body: asOlder(driftIssueChanges([], live, 'all').create[0]) }];
    expect(driftIssueChanges(open, live, 'all')).toEqual({ create: [], close: [] });
    expect(driftIssueChanges(open, run([agrees('test')], '', 'test'), 'all').close).toEqual([]);
    expect(driftIssueChanges(open, run([agrees('test')]), 'all').close).toEqual([]);
    expect(driftIssueChanges(open, run([agrees('live')], '', 'live'), 'all').close).toEqual([5]);
    expect(driftIssueChanges(open, run([agrees('live')]), 'all').close).toEqual([5]);
  });

  it('cannot be forged or broken by what a plan or a directory says', () => {
    const nasty = fc.constantFrom(
      '```',
      '</details>',
      '@team',
      '#1',
      '<!-- infrastate-drift',
      '-->',
      '\u001b[31m',
      '\n',
      'x',
    );
    fc.assert(
      fc.property(
        fc.array(nasty, { maxLength: 12 }),
        fc.array(nasty, { minLength: 1, maxLength: 5 }),
        (plan, dir) => {
          const target = run([differs(dir.join(''), plan.join(''))]);
          const created = driftIssueChanges([], target, 'all');
          const body = created.create[0]?.body ?? '';
          // Said again it is the same issue, and gone it is closed.
          expect(driftIssueChanges([{ number: 1, body }], target, 'all')).toEqual({ create: [], close: [] });
          expect(driftIssueChanges([{ number: 1, body }], run([agrees(dir.join(''))]), 'all').close).toEqual([
            1,
          ]);
          expect(body.length).toBeLessThan(60_000);
        },
      ),
    );
  });
});
