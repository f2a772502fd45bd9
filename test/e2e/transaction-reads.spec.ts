import { aBackend, BackendClient, type TestBackend, type TestState } from '../support/backend.js';
import { applied, block, gone, logged, type LoggedEntry, nameOf, Runner } from '../support/bundles.js';
import { type RunningService, startService } from '../support/service.js';
import { change, TransactionClient } from '../support/transactions.js';

let backend: TestBackend;
let worker: RunningService;
let client: TransactionClient;
beforeAll(async () => {
  backend = await aBackend();
  worker = await startService({ role: 'worker', database: backend.service.database });
  client = new TransactionClient(backend);
});
afterAll(async () => {
  await worker.stop();
  await backend.stop();
});

/** `test_thing.<name>`, which may refer to others. */
const thing = (name: string, value: unknown, ...needs: string[]) =>
  block({
    resource: {
      test_thing: {
        [name]: { value, ...(needs.length > 0 ? { needs: needs.map((n) => `\${test_thing.${n}.id}`) } : {}) },
      },
    },
  });

const CONFIGURATION = {
  net: thing('net', 1),
  left: thing('left', 1, 'net'),
  right: thing('right', 1, 'net'),
  lone: thing('lone', 1),
};

async function anEstate(): Promise<TestState> {
  const state = await backend.aState();
  await applied(client, state, Object.values(CONFIGURATION));
  const names = Object.keys(CONFIGURATION);
  const tx = await client.logged(
    state.id,
    names.map((name) => ({ address: `test_thing.${name}`, value: 1 })),
  );
  expect((await client.apply(tx)).task).toBe('completed');
  return state;
}

interface Planned {
  txId: string;
  /** reports what terraform would leave, and the state the transaction ends in */
  finish: () => Promise<string>;
}

/** Changes one block, gets its bundle, and plans to write its instance only. */
async function plan(
  state: TestState,
  name: keyof typeof CONFIGURATION,
  value: number,
  ...needs: string[]
): Promise<Planned> {
  const address = `test_thing.${name}`;
  const runner = await Runner.of(client, state, [thing(name, value, ...needs)]);
  const bundle = await runner.bundle();
  const reported = await client.report(runner.token, {
    kind: 'preview',
    has_changes: true,
    plan: '',
    plan_json: { resource_changes: [change(address, ['update'])] },
  });
  expect(reported.status).toBe(200);
  const left = structuredClone(bundle.state);
  for (const resource of left.resources)
    if (resource.name === name)
      for (const instance of resource.instances) instance.attributes['value'] = value;
  return {
    txId: runner.txId,
    finish: async () => {
      const answer = await client.call('POST', `/tx/${runner.txId}/commit`);
      if (answer.status === 409) return (answer.json() as { id: string }).id;
      const { task, token } = answer.json() as { task: { id: string }; token: string };
      await client.report(token, { kind: 'commit', output: '', state: left });
      await client.ended(task.id);
      return client.state(runner.txId);
    },
  };
}

const values = async (state: TestState) =>
  Object.fromEntries(
    Object.entries(await client.values(state.id)).map(([address, value]) => [
      address.replace('test_thing.', ''),
      value,
    ]),
  );

describe('What a transaction read', () => {
  it('is its own as long as it commits: who planned on what changed since is refused', async () => {
    const state = await anEstate();
    const network = await plan(state, 'net', 2);
    const left = await plan(state, 'left', 3, 'net');
    expect(await network.finish()).toBe('committed');
    expect(await left.finish()).toBe('TX_CONFLICT');
    expect(await values(state)).toEqual({ net: 2, left: 1, right: 1, lone: 1 });
    // A new preview stands on what is there now.
    const again = await plan(state, 'left', 3, 'net');
    expect(await again.finish()).toBe('committed');
    expect(await values(state)).toEqual({ net: 2, left: 3, right: 1, lone: 1 });
  });

  it('may be read by others too, and written by none of them', async () => {
    const state = await anEstate();
    const [left, right, lone] = [
      await plan(state, 'left', 2, 'net'),
      await plan(state, 'right', 3, 'net'),
      await plan(state, 'lone', 4),
    ];
    expect(await Promise.all([left.finish(), right.finish(), lone.finish()])).toEqual([
      'committed',
      'committed',
      'committed',
    ]);
    expect(await values(state)).toEqual({ net: 1, left: 2, right: 3, lone: 4 });
    // Nothing is left to plan: each configuration was stored beside the others.
    const runner = await Runner.of(client, state, [thing('left', 2, 'net'), thing('lone', 4)]);
    expect((await runner.bundle()).hcl).toEqual([]);
  });

  it('keeps two from writing what the other relied on: of a pair that would swap, one commits', async () => {
    const state = await backend.aState();
    const pair = { a: thing('a', 1), b: thing('b', 1) };
    await applied(client, state, Object.values(pair));
    const tx = await client.logged(state.id, [
      { address: 'test_thing.a', value: 1 },
      { address: 'test_thing.b', value: 1 },
    ]);
    expect((await client.apply(tx)).task).toBe('completed');
    const swap = async (name: string, other: string) => {
      const runner = await Runner.of(client, state, [thing(name, 2, other)]);
      await runner.bundle();
      await client.report(runner.token, {
        kind: 'preview',
        has_changes: true,
        plan: '',
        plan_json: { resource_changes: [change(`test_thing.${name}`, ['update'])] },
      });
      return client.call('POST', `/tx/${runner.txId}/commit`);
    };
    const answers = [await swap('a', 'b'), await swap('b', 'a')];
    expect(answers.map(({ status }) => status)).toEqual([200, 409]);
  });

  it.each(['commit', 'commit_failed'])(
    'is planned again when the run that wrote it failed, and what a refresh found is not (%s)',
    async (kind) => {
      const state = await anEstate();
      const runner = await Runner.of(client, state, [thing('left', 3, 'net')]);
      const bundle = await runner.bundle();
      await client.report(runner.token, {
        kind: 'preview',
        has_changes: true,
        plan: '',
        plan_json: { resource_changes: [change('test_thing.left', ['update'])] },
      });
      const { task, token } = await client.begin(runner.txId, 'commit');
      // A refresh found that the network is not as it was.
      for (const { name, instances } of bundle.state.resources)
        for (const { attributes } of instances) attributes['value'] = name === 'net' ? 7 : 3;
      const failure = { reason: { code: 'exec_failed', message: '' } };
      await client.report(token, {
        kind,
        state: bundle.state,
        ...(kind === 'commit' ? { output: '' } : { failure }),
      });
      await client.ended(task);
      expect(await values(state)).toEqual({ net: 7, left: 3, right: 1, lone: 1 });
      const planned = async (entries: LoggedEntry[]) =>
        (await (await Runner.of(client, state, entries)).bundle()).hcl.map(nameOf).sort();
      expect(await planned([thing('net', 1)])).toEqual([]);
      // The block is as it was applied before, and its instance is not.
      expect(await planned([thing('left', kind === 'commit' ? 3 : 1, 'net')])).toEqual(
        kind === 'commit' ? [] : ['test_thing.left', 'test_thing.net'],
      );
    },
  );

  describe('of the configuration', () => {
    const variable = (value: string) => block({ variable: { v: { default: value } } });
    const user = (name: string) => block({ resource: { test_thing: { [name]: { value: '${var.v}' } } } });

    /** Plans these blocks, and to write one instance. */
    async function planned(
      state: TestState,
      entries: LoggedEntry[],
      name: string,
    ): Promise<Planned['finish']> {
      const runner = await Runner.of(client, state, entries);
      const { state: given } = await runner.bundle();
      await client.report(runner.token, {
        kind: 'preview',
        has_changes: true,
        plan: '',
        plan_json: { resource_changes: [change(`test_thing.${name}`, ['update'])] },
      });
      return async () => {
        const answer = await client.call('POST', `/tx/${runner.txId}/commit`);
        if (answer.status === 409) return (answer.json() as { id: string }).id;
        const { task, token } = answer.json() as { task: { id: string }; token: string };
        await client.report(token, { kind: 'commit', output: '', state: given });
        await client.ended(task.id);
        return client.state(runner.txId);
      };
    }

    async function withVariable(): Promise<TestState> {
      const state = await backend.aState();
      await applied(client, state, [variable('old'), user('a'), thing('apart', 1)]);
      const tx = await client.logged(state.id, [
        { address: 'test_thing.a', value: 'old' },
        { address: 'test_thing.apart', value: 1 },
      ]);
      expect((await client.apply(tx)).task).toBe('completed');
      return state;
    }

    it.each([
      ['who planned with an old value is refused', [0, 1]],
      ['who planned without a dependent that came meanwhile is refused', [1, 0]],
    ])('%s', async (_what, order) => {
      const state = await withVariable();
      const plans = [() => planned(state, [variable('new')], 'a'), () => planned(state, [user('b')], 'b')];
      const apart = await planned(state, [thing('apart', 2)], 'apart');
      const finishes = [];
      for (const begin of plans) finishes.push(await begin());
      const answers = [];
      for (const index of order) answers.push(await finishes[index]?.());
      expect(answers).toEqual(['committed', 'TX_CONFLICT']);
      // Planned anew it sees the other's; and what has nothing to do with it was in nobody's way.
      expect(await (await plans[order[1] ?? 0]?.())?.()).toBe('committed');
      expect(await apart()).toBe('committed');
    });

    it('is told while the other commits, and forgotten when it gives up', async () => {
      const state = await withVariable();
      const runner = await Runner.of(client, state, [variable('new')]);
      await runner.bundle();
      await client.report(runner.token, {
        kind: 'preview',
        has_changes: true,
        plan: '',
        plan_json: { resource_changes: [change('test_thing.a', ['update'])] },
      });
      const other = await planned(state, [user('b')], 'b');
      await client.begin(runner.txId, 'commit');
      expect(await other()).toBe('TX_CONFLICT');
      expect((await client.call('POST', `/tx/${runner.txId}/abort`)).status).toBe(200);
      expect(await other()).toBe('committed');
    });

    it('does not keep those apart who only read the same', async () => {
      const state = await withVariable();
      const [one, two] = [await planned(state, [user('b')], 'b'), await planned(state, [user('c')], 'c')];
      expect([await one(), await two()]).toEqual(['committed', 'committed']);
    });

    it('does not keep those apart who write the same', async () => {
      const state = await withVariable();
      const same = block({ data: { test_lookup: { l: { name: 'x' } } } });
      const [one, two] = [
        await planned(state, [user('b'), same], 'b'),
        await planned(state, [user('c'), same], 'c'),
      ];
      expect([await one(), await two()]).toEqual(['committed', 'committed']);
    });

    it('keeps those apart of whom one changes and one removes the same, and not those who both remove it', async () => {
      const state = await withVariable();
      const lookup = (name: string) => block({ data: { test_lookup: { l: { name } } } });
      await applied(client, state, [lookup('x')]);
      const [changing, removing, alsoRemoving] = [
        await logged(client, state, [lookup('y')]),
        await logged(client, state, [gone('data.test_lookup.l')]),
        await logged(client, state, [gone('data.test_lookup.l')]),
      ];
      expect((await client.apply(removing)).task).toBe('completed');
      expect((await client.apply(changing)).status).toBe(409);
      expect((await client.apply(alsoRemoving)).task).toBe('completed');
    });

    it('is no longer what was planned on once plain Terraform has added what no block stands for', async () => {
      const state = await withVariable();
      const plan = await planned(state, [user('b')], 'b');
      const document = await client.document(state.id);
      const stranger = { ...document.resources[0], name: 'stranger' };
      const connection = new BackendClient(state.address, backend.key);
      await connection.get();
      const next = { ...document, serial: document.serial + 1, resources: [...document.resources, stranger] };
      expect((await connection.post(JSON.stringify(next))).status).toBe(200);
      connection.close();
      expect(await plan()).toBe('TX_CONFLICT');
    });

    it('counts for what is applied from a log too', async () => {
      const state = await withVariable();
      const other = await planned(state, [user('b')], 'b');
      await applied(client, state, [variable('new')]);
      expect(await other()).toBe('TX_CONFLICT');
    });
  });
});

describe('A runner', () => {
  it('gets nothing more once its user has left the tenant', async () => {
    const tenant = await backend.aTenant();
    const member = await backend.aUser();
    const theirs = new TransactionClient(backend, member.key);
    const state = await backend.aState({ tenant_id: tenant });
    const txId = await theirs.create(tenant);
    await theirs.append(txId, [{ ...thing('a', 1), state_id: state.id }]);
    const { token, task } = await theirs.begin(txId, 'preview');
    const runner = new Runner(theirs, token, task, txId);
    expect((await runner.bundle()).hcl).toHaveLength(1);
    const removed = await backend.api('DELETE', `/tenants/${tenant}/members?user_id=${member.id}`);
    expect(removed.status).toBe(200);
    for (const path of ['bundle', 'bundle/cursors', 'bundle/generate', 'results', 'preview'])
      expect([path, (await runner.call(path)).status]).toEqual([path, 401]);
  });
});
