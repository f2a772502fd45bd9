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

  it('lets as many run as there are connections, and forgets those that failed', async () => {
    const admission = new QueryAdmission(config);
    const failing = () => Promise.reject(new Error('no'));
    for (let i = 0; i < 5; i++) await expect(admission.run(failing)).rejects.toThrow('no');
    const running = [admission.run(slow), admission.run(slow), admission.run(slow)];
    await expect(admission.run(slow)).rejects.toMatchObject({
      id: 'RESOURCE_LIMIT_ERR',
      status: 429,
      headers: { 'Retry-After': '1' },
    });
    gates.splice(0).forEach((open) => open());
    expect(await Promise.all(running)).toEqual(['done', 'done', 'done']);
    const again = admission.run(slow);
    gates.splice(0).forEach((open) => open());
    expect(await again).toBe('done');
  });
});
