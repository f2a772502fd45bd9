import { loadConfig } from '../../platform/config/index.js';
import { QueryAdmission } from './query-admission.js';

const config = loadConfig({
  SERVICE_UI_BASE: 'http://localhost',
  DB_HOST: 'x',
  DB_USER: 'x',
  DB_PASS: 'x',
  DB_NAME: 'x',
  SERVICE_MQL_POOL_SIZE: '3',
});

describe('The admission of queries', () => {
  const gates: (() => void)[] = [];
  const slow = () => new Promise<string>((resolve) => gates.push(() => resolve('done')));

  it('lets two of one principal run and as many in all as there are connections', async () => {
    const admission = new QueryAdmission(config);
    const running = [admission.run('a', slow), admission.run('a', slow)];
    await expect(admission.run('a', slow)).rejects.toMatchObject({ id: 'RESOURCE_LIMIT_ERR', status: 429 });
    running.push(admission.run('b', slow));
    await expect(admission.run('c', slow)).rejects.toMatchObject({
      status: 429,
      headers: { 'Retry-After': '1' },
    });
    gates.splice(0).forEach((open) => open());
    expect(await Promise.all(running)).toEqual(['done', 'done', 'done']);
    const again = admission.run('a', slow);
    gates.splice(0).forEach((open) => open());
    expect(await again).toBe('done');
  });

  it('forgets a query that failed', async () => {
    const admission = new QueryAdmission(config);
    const failing = () => Promise.reject(new Error('no'));
    for (let i = 0; i < 5; i++) await expect(admission.run('a', failing)).rejects.toThrow('no');
  });
});
