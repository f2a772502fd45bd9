import { randomUUID } from 'node:crypto';
import { aBackend, addressOf, BackendClient, bytesOf, TestBackend } from '../support/backend.js';

describe('First writes of a state', () => {
  let backend: TestBackend;
  let key: string;

  beforeAll(async () => {
    backend = await aBackend();
    key = await backend.aKey({ commit: { tenants: [backend.tenantId] } });
  });
  afterAll(() => backend.stop());

  const document = (value: string) => bytesOf(new Map([['a', value]]), 1, 'one lineage');

  async function postAtOnce(address: string, documents: Buffer[]) {
    const clients = documents.map(() => new BackendClient(address, key));
    const answers = await Promise.all(clients.map((client, index) => client.post(documents[index] ?? '')));
    clients.forEach((client) => client.close());
    return answers;
  }

  it('all answer 200 when they bring the same bytes at once to a group that nobody created', async () => {
    for (let round = 0; round < 5; round++) {
      const group = randomUUID();
      const answers = await postAtOnce(
        addressOf(backend.url, group),
        Array.from({ length: 10 }, () => document('1')),
      );
      expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
      const results = answers.map(
        (answer) => answer.json() as { result: string; version: number; state_id: string },
      );
      expect(results.map(({ result }) => result).sort()).toEqual([
        'stored',
        ...Array<string>(9).fill('unchanged'),
      ]);
      expect(new Set(results.map(({ version }) => version))).toEqual(new Set([1]));
      const { rows } = await backend.service.pool.query<{ count: string }>(
        `SELECT count(*) FROM audit_entries WHERE object_id = $1 AND action = 'state.create'`,
        [results[0]?.state_id],
      );
      expect(rows[0]?.count).toBe('1');
    }
  });

  it('answer 200 for large documents, too', async () => {
    const content = new Map(Array.from({ length: 4000 }, (_, index) => [`r${index}`, 'x'.repeat(200)]));
    const bytes = bytesOf(content, 1, 'one lineage');
    const address = addressOf(backend.url, randomUUID());
    const answers = await postAtOnce(address, [bytes, bytes, bytes, bytes]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const reader = new BackendClient(address, backend.key);
    expect((await reader.get()).bytes.equals(bytes)).toBe(true);
    reader.close();
  });

  it('refuse another lineage as they do later, and keep its bytes', async () => {
    const address = addressOf(backend.url, randomUUID());
    const documents = ['one', 'two', 'three'].map((lineage) => bytesOf(new Map([['a', '1']]), 1, lineage));
    const answers = await postAtOnce(address, documents);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    const stored = answers.find(({ status }) => status === 200)?.json() as { state_id: string };
    const { results } = (
      await backend.api('GET', `/states/${stored.state_id}/submissions?status=refused`)
    ).json() as { results: unknown[] };
    expect(results).toHaveLength(2);
  });
});
