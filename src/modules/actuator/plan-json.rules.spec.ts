import { SENSITIVE } from '../documents/index.js';
import { readPlan, type StoredPlan } from './plan-json.rules.js';

const change = (address: string, actions: string[], more: Record<string, unknown> = {}) => ({
  address,
  mode: 'managed',
  change: { actions, before: null, after: null, ...more },
});

function read(json: unknown): StoredPlan {
  const plan = readPlan(json);
  if (typeof plan === 'string') throw new Error(plan);
  return plan;
}

describe('A plan', () => {
  it.each([
    [['create'], 'create'],
    [['update'], 'update'],
    [['delete'], 'destroy'],
    [['delete', 'create'], 'replace'],
    [['create', 'delete'], 'replace'],
    [['create', 'forget'], 'create'],
    [['no-op'], undefined],
    [['read'], undefined],
    [['forget'], undefined],
  ])('that does %j is %s', (actions, operation) => {
    const { operations } = read({ resource_changes: [change('t.a', actions)] });
    expect(operations.map((one) => one.operation)).toEqual(operation === undefined ? [] : [operation]);
  });

  it('writes what it changes, forgets or moves, under both names, and no data', () => {
    const { writes, outputs } = read({
      resource_changes: [
        change('t.same', ['no-op']),
        change('t.forgotten', ['forget']),
        { ...change('t.to', ['no-op']), previous_address: 't.from' },
        { ...change('t.same', ['delete']), deposed: '12345678' },
        { ...change('data.t.d', ['read']), mode: 'data' },
      ],
      output_changes: { same: { actions: ['no-op'] }, other: { actions: ['create'] } },
    });
    expect(writes).toEqual([
      { address: 't.forgotten', deposed: undefined },
      { address: 't.to', deposed: undefined },
      { address: 't.from', deposed: undefined },
      { address: 't.same', deposed: '12345678' },
    ]);
    expect(outputs).toEqual(['other']);
  });

  it('keeps no sensitive value, at whatever depth, in changes, drift and outputs', () => {
    const secret = { a: [{ b: 'hush', c: 'open' }], d: 'hush', e: { f: 'hush' }, n: null };
    const sensitive = { a: [{ b: true }], d: true, e: true, n: true };
    const both = { before: secret, before_sensitive: sensitive, after: secret, after_sensitive: sensitive };
    const { masked } = read({
      resource_changes: [change('t.a', ['update'], both)],
      resource_drift: [change('t.a', ['update'], both)],
      output_changes: {
        o: {
          actions: ['update'],
          before: 'hush',
          after: ['hush'],
          before_sensitive: true,
          after_sensitive: [true],
        },
      },
      prior_state: secret,
      variables: { password: { value: 'hush' } },
      planned_values: { outputs: { o: { value: 'hush' } } },
    });
    expect(JSON.stringify(masked)).not.toContain('hush');
    const [kept] = masked['resource_changes'] as { change: { after: unknown } }[];
    expect(kept?.change.after).toEqual({
      a: [{ b: SENSITIVE, c: 'open' }],
      d: SENSITIVE,
      e: SENSITIVE,
      n: null,
    });
  });

  it.each([[undefined], [[]], [{ resource_changes: {} }], [{ resource_changes: [{}] }]])(
    'is not %j, and the reason quotes no value',
    (json) => {
      expect(readPlan(json)).toEqual(expect.stringMatching(/^plan_json/));
    },
  );
});
