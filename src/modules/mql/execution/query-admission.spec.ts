import { loadConfig } from '../../../platform/config/index.js';
import { QueryAdmission } from './query-admission.js';

const config = loadConfig({
  SERVICE_UI_BASE: 'http://localhost',
  DB_HOST: 'x',
  DB_USER: 'x',
  DB_PASS: 'x',
  DB_NAME: 'x',
  SERVICE_MQL_POOL_SIZE: '4',
});

describe('The admission of queries', () => {
  const gates: (() => void)[] = [];
  const slow = () => new Promise<string>((resolve) => gates.push(() => resolve('done')));

  it('gives two places to each principal, until they are left', () => {
    const admission = new QueryAdmission(config);
    const [leave] = [admission.enter('a'), admission.enter('a')];
    expect(() => admission.enter('a')).toThrow(
      expect.objectContaining({ id: 'RESOURCE_LIMIT_ERR', status: 429, headers: { 'Retry-After': '1' } }),
    );
    admission.enter('b');
    leave?.();
    leave?.();
    admission.enter('a');
    expect(() => admission.enter('a')).toThrow('2 of your queries are running');
  });

  const caller = (tenantId: string) => ({ userId: 'u', tenantIds: [tenantId, 'z'] });

  it('leaves half of the connections to other tenants, and forgets queries that failed', async () => {
    const admission = new QueryAdmission(config);
    const failing = () => Promise.reject(new Error('no'));
    for (let i = 0; i < 5; i++) await expect(admission.run(caller('a'), failing)).rejects.toThrow('no');
    const running = Array.from({ length: 4 }, () => admission.run(caller('a'), slow));
    const other = admission.run(caller('b'), slow);
    await new Promise(setImmediate);
    // Two of a, and b; the others of a wait.
    expect(gates).toHaveLength(3);
    while (gates.length > 0) {
      gates.splice(0).forEach((open) => open());
      await new Promise(setImmediate);
    }
    expect(await Promise.all([...running, other])).toEqual(Array(5).fill('done'));
  });

  it('lets few wait, and tells the others to come back', async () => {
    const admission = new QueryAdmission(config);
    const all = Array.from({ length: 12 }, () => admission.run(caller('a'), slow));
    const outcomes = Promise.allSettled(all);
    const refused = all.at(-1);
    await expect(refused).rejects.toMatchObject({
      id: 'RESOURCE_LIMIT_ERR',
      status: 429,
      headers: { 'Retry-After': '1' },
    });
    while (gates.length > 0) {
      gates.splice(0).forEach((open) => open());
      await new Promise(setImmediate);
    }
    const statuses = (await outcomes).map(({ status }) => status);
    expect(statuses.filter((status) => status === 'fulfilled')).toHaveLength(10);
  });
});
