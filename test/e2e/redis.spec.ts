import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort, type RunningService, type ServiceOptions, startService } from '../support/service.js';
import { startRedis } from '../support/redis.js';
import { describeWith } from '../support/terraform.js';

const PASSWORD = 'not-for-the-log';

async function statusOf(address: string): Promise<number> {
  return fetch(address).then(
    (answer) => answer.status,
    () => 0,
  );
}

/** Lines about Redis; never more than one may come at a time of ten seconds. */
function linesOf(service: RunningService): Record<string, unknown>[] {
  return service
    .output()
    .split('\n')
    .filter((line) => /redis/i.test(line))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

async function until(reached: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await reached())) await delay(50);
}

describeWith('redis-server', 'A Redis that is not there', () => {
  const roles = ['api', 'worker'] as const;

  async function started(options: ServiceOptions): Promise<{ service: RunningService; door: string }> {
    const service = await startService({ waitForReady: false, ...options });
    const door = options.role === 'worker' ? service.internalUrl : service.url;
    return { service, door };
  }

  it.each(roles)(
    'keeps %s alive and not ready, says so once, and does not keep it from ending',
    async (role) => {
      const env = { SERVICE_REDIS_URL: `redis://:${PASSWORD}@127.0.0.1:${await freePort()}` };
      const { service, door } = await started({ role, env });
      await until(() => linesOf(service).length > 0);
      // Four tries are made meanwhile.
      await delay(2_000);
      expect([await statusOf(`${door}/health/live`), await statusOf(`${door}/health/ready`)]).toEqual([
        200, 502,
      ]);
      expect(linesOf(service)).toEqual([
        expect.objectContaining({
          level: 40,
          msg: 'Redis at SERVICE_REDIS_URL is not usable yet',
          code: 'ECONNREFUSED',
        }),
      ]);
      expect(service.output()).not.toContain(PASSWORD);
      const begun = performance.now();
      expect(await service.stop()).toBe(0);
      expect(performance.now() - begun).toBeLessThan(4_000);
    },
  );

  it.each(roles)(
    'makes %s ready when it comes, which ends soon when Redis goes before it does',
    async (role) => {
      const port = await freePort();
      const { service, door } = await started({
        role,
        env: { SERVICE_REDIS_URL: `redis://127.0.0.1:${port}` },
      });
      await until(() => linesOf(service).length > 0);
      const redis = await startRedis(port);
      await service.ready();
      expect(await statusOf(`${door}/health/ready`)).toBe(200);
      await redis.stop();
      if (role === 'worker') {
        await until(() =>
          linesOf(service).some(({ msg }) => msg === 'the Redis that SERVICE_REDIS_URL names fails'),
        );
        await delay(1_000);
        const kinds = linesOf(service).map(({ kind, code }) => kind ?? code);
        expect(kinds).toEqual([...new Set(kinds)]);
      }
      const begun = performance.now();
      expect(await service.stop()).toBe(0);
      expect(performance.now() - begun).toBeLessThan(8_000);
    },
  );

  it('says what Redis answers while it does not serve yet', async () => {
    const loading = createServer((socket) => {
      socket.on('error', () => socket.destroy());
      socket.on('data', () => socket.write('-LOADING Redis is loading the dataset in memory\r\n'));
    });
    await once(loading.listen(0, '127.0.0.1'), 'listening');
    const { port } = loading.address() as AddressInfo;
    const { service } = await started({ env: { SERVICE_REDIS_URL: `redis://127.0.0.1:${port}` } });
    await until(() => linesOf(service).length > 0);
    expect(linesOf(service)).toEqual([expect.objectContaining({ level: 40, code: 'LOADING' })]);
    expect(await service.stop()).toBe(0);
    loading.close();
  });

  it('refuses to start with a password that Redis does not take, and names the variable', async () => {
    const redis = await startRedis();
    const { service } = await started({
      env: { SERVICE_REDIS_URL: redis.url.replace('//', `//somebody:${PASSWORD}@`) },
    });
    await until(() => service.process.exitCode !== null);
    expect(service.process.exitCode).toBe(1);
    expect(service.output().trim().split('\n')).toEqual([
      'the Redis that SERVICE_REDIS_URL names refuses the user name or password in it',
    ]);
    await service.stop();
    await redis.stop();
  });
});
