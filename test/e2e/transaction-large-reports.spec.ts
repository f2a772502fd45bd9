import { aBackend, type TestBackend } from '../support/backend.js';
import { change, type Instance, runState, TransactionClient } from '../support/transactions.js';

let backend: TestBackend;
let client: TransactionClient;
beforeAll(async () => {
  backend = await aBackend();
  client = new TransactionClient(backend);
});
afterAll(() => backend?.stop());

const COUNT = 8_000;
const ADDRESSES = Array.from({ length: COUNT }, (_, n) => `test_thing.n${n}`);
const PLAN = {
  kind: 'preview',
  has_changes: true,
  plan: 'the plan',
  plan_json: {
    resource_changes: ADDRESSES.map((address) =>
      change(address, ['create'], { after: { secret: 'hush' }, after_sensitive: { secret: true } }),
    ),
  },
};

async function begun(): Promise<{ txId: string; token: string }> {
  const state = await backend.aState();
  const txId = await client.create();
  await client.append(txId, [{ action: 'refresh', object_type: 'refresh', state_id: state.id, data: {} }]);
  return { txId, token: (await client.begin(txId, 'preview')).token };
}

async function expectPlan(txId: string): Promise<void> {
  const { rows } = await backend.service.pool.query<{ operations: number; plan: string }>(
    `SELECT (SELECT count(*)::int FROM transaction_plan_operations WHERE tx_id = $1) AS operations, plan_json::text AS plan
     FROM transaction_plans WHERE tx_id = $1`,
    [txId],
  );
  expect([rows[0]?.operations, rows[0]?.plan.includes('hush')]).toEqual([COUNT, false]);
}

describe('A large report', () => {
  it('is taken whole or in parts, as a small one is', async () => {
    const [once, parted] = [await begun(), await begun()];
    expect((await client.report(once.token, PLAN)).status).toBe(200);
    const text = JSON.stringify(PLAN);
    const parts = [text.slice(0, 500_000), text.slice(500_000)];
    for (const [idx, data] of parts.entries())
      expect((await client.report(parted.token, { kind: 'chunk', data }, idx)).status).toBe(200);
    expect((await client.report(parted.token, { kind: 'done' }, parts.length)).status).toBe(200);
    for (const { txId } of [once, parted]) await expectPlan(txId);
  });

  it('is refused like a small one, and the next is taken', async () => {
    const { txId, token } = await begun();
    const changes = [...PLAN.plan_json.resource_changes, 7];
    const bad = { ...PLAN, plan_json: { resource_changes: changes } };
    const answer = await client.report(token, bad);
    expect([answer.status, answer.json()]).toEqual([
      400,
      { id: 'INVALID_REQUEST', data: `plan_json.resource_changes.${COUNT} is missing or malformed` },
    ]);
    expect((await client.report(token, PLAN)).status).toBe(200);
    await expectPlan(txId);
  });

  it('holds up nobody else while it is read', async () => {
    const { txId, token } = await begun();
    await client.report(token, PLAN);
    const { token: committing } = await client.begin(txId, 'commit');
    const left = runState(ADDRESSES.map((address): Instance => ({ address, value: 'x'.repeat(2_000) })));
    const start = performance.now();
    let isReading = true;
    const reporting = client.report(committing, { kind: 'commit', output: '', state: left }).finally(() => {
      isReading = false;
    });
    let longest = 0;
    while (isReading) {
      const asked = performance.now();
      await fetch(`${backend.url}/health/live`);
      longest = Math.max(longest, performance.now() - asked);
    }
    const whole = performance.now() - start;
    expect((await reporting).status).toBe(200);
    expect(longest).toBeLessThan(whole / 2);
    const { rows } = await backend.service.pool.query<{ state: string }>(
      'SELECT state FROM transaction_reports WHERE tx_id = $1',
      [txId],
    );
    expect(JSON.parse(rows[0]?.state ?? '')).toEqual(left);
  });
});
