import { aBackend, type Answer, type TestBackend, type TestState } from '../support/backend.js';
import { change, runState, TransactionClient } from '../support/transactions.js';

let backend: TestBackend;
let client: TransactionClient;
beforeAll(async () => {
  backend = await aBackend();
  client = new TransactionClient(backend);
});
afterAll(() => backend?.stop());

const ADDRESS = 'test_thing.a';
const PLAN = {
  kind: 'preview',
  has_changes: true,
  plan: 'the plan',
  plan_json: { resource_changes: [change(ADDRESS, ['create'])] },
};
const left = (value: string) => ({
  kind: 'commit',
  output: value,
  state: runState([{ address: ADDRESS, value }]),
});

interface Step {
  txId: string;
  state: TestState;
  token: string;
}

async function previewing(): Promise<Step> {
  const state = await backend.aState();
  const txId = await client.create();
  await client.append(txId, [{ action: 'refresh', object_type: 'refresh', state_id: state.id, data: {} }]);
  return { txId, state, token: (await client.begin(txId, 'preview')).token };
}

async function committing(): Promise<Step> {
  const step = await previewing();
  expect((await client.report(step.token, PLAN)).status).toBe(200);
  return { ...step, token: (await client.begin(step.txId, 'commit')).token };
}

/** Sends all of them while the transaction is held, and lets it go when they wait for it. */
async function atOnce({ txId, token }: Step, requests: readonly unknown[]): Promise<Answer[]> {
  const connection = await backend.service.pool.connect();
  try {
    await connection.query('BEGIN');
    await connection.query('SELECT FROM transactions WHERE id = $1 FOR UPDATE', [txId]);
    const answers = Promise.all(requests.map((request) => client.report(token, request)));
    for (let waiting = 0; waiting < requests.length;) {
      const { rows } = await backend.service.pool.query<{ count: number }>(
        `SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      waiting = rows[0]?.count ?? 0;
    }
    await connection.query('COMMIT');
    return await answers;
  } finally {
    connection.release();
  }
}

describe('Reports of one step that come at once', () => {
  it('several reports of a plan count as one', async () => {
    const step = await previewing();
    const answers = await atOnce(step, [PLAN, PLAN]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(await client.state(step.txId)).toBe('previewed');
  });

  it('several reports of a failure count as one', async () => {
    const step = await previewing();
    const failure = { kind: 'failure', reason: { code: 'exec_failed', message: 'no' } };
    const answers = await atOnce(step, [failure, failure]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(await client.state(step.txId)).toBe('failed');
  });

  it('the first report of a commit counts, and later ones do not replace it', async () => {
    const step = await committing();
    const answers = await atOnce(step, [left('one'), left('two')]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(await client.state(step.txId)).toBe('committed');
    const { [ADDRESS]: value } = await client.values(step.state.id);
    const output = (await client.call('GET', `/tx/${step.txId}/output`)).json() as {
      results: { data: string }[];
    };
    expect(JSON.parse(Buffer.from(output.results[0]?.data ?? '', 'base64').toString())).toBe(value);
    const { rows } = await backend.service.pool.query('SELECT FROM transaction_reports WHERE tx_id = $1', [
      step.txId,
    ]);
    expect(rows).toEqual([]);
  });
});
