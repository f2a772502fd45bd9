import { randomUUID } from 'node:crypto';
import { aBackend, type TestBackend } from './backend.js';
import { SEED } from './endurance.js';
import { hasNginx, Nginx } from './nginx.js';
import { randomFrom, type ShadowMode, ShadowScript, type ShadowStatistics } from './shadow-runs.js';

/** Runs as Terraform behaves, over every way to reach the service. */
export function describeShadowRuns(scripts: number, steps: number): void {
  describe('Runs that create, update, replace, move and destroy at once', () => {
    let backend: TestBackend;
    let keys: string[];
    const proxies: Nginx[] = [];
    let [withPort, withoutPort] = ['', ''];

    beforeAll(async () => {
      process.stdout.write(`shadow runs: FUZZ_SEED=${SEED}\n`);
      backend = await aBackend();
      keys = await Promise.all([1, 2, 3, 4].map(() => backend.aKey()));
      if (!hasNginx) return process.stderr.write('nginx is missing: runs behind it are left out\n');
      for (const tellsPort of [true, false])
        proxies.push(await Nginx.start(backend.service.url, { tellsPort }));
      [withPort, withoutPort] = proxies.map(({ url }) => url) as [string, string];
    }, 120_000);
    afterAll(async () => {
      await Promise.all(proxies.map((proxy) => proxy.stop()));
      await backend.stop();
    });

    const direct = () => backend.service.url;
    const known = { seesConnections: true, endsWhenRefused: false };
    const through = { port: () => withPort, address: () => withoutPort };
    const modes: ShadowMode[] = [
      { name: 'one key, direct', url: direct, sharesKey: true, names: 'none', ...known },
      { name: 'a key each, direct', url: direct, sharesKey: false, names: 'none', ...known },
      { name: 'one key, locks, direct', url: direct, sharesKey: true, names: 'lock', ...known },
    ];
    const proxied: ShadowMode[] = [
      { name: 'one key, nginx with port', url: through.port, sharesKey: true, names: 'none', ...known },
      { name: 'a key each, nginx with port', url: through.port, sharesKey: false, names: 'none', ...known },
      ...(['user', 'lock', 'tx'] as const).map((names) => ({
        name: `one key, ${names}, nginx without port`,
        url: through.address,
        sharesKey: true,
        names,
        ...known,
      })),
      {
        name: 'a key each, nginx without port',
        url: through.address,
        sharesKey: false,
        names: 'none',
        seesConnections: false,
        endsWhenRefused: true,
      },
      {
        name: 'one key, nginx without port',
        url: through.address,
        sharesKey: true,
        names: 'none',
        seesConnections: false,
        endsWhenRefused: true,
      },
    ];

    it.each(hasNginx ? [...modes, ...proxied] : modes)(
      'lose nothing, and get through: $name',
      async (mode) => {
        const totals: ShadowStatistics = { writes: 0, accepted: 0, merged: 0, refused: 0, cautious: 0 };
        const group = await backend.aState();
        for (let script = 0; script < scripts; script++) {
          const path = `/api/v1/states/backend/${group.groupId}/${randomUUID()}`;
          const played = new ShadowScript(backend, mode, path, keys, randomFrom(SEED + script));
          try {
            await played.play(steps);
          } catch (error) {
            throw new Error(`FUZZ_SEED=${SEED + script}: ${(error as Error).message}`, { cause: error });
          }
          for (const name of ['writes', 'accepted', 'merged', 'refused', 'cautious'] as const)
            totals[name] += played.statistics[name];
        }
        process.stdout.write(`${mode.name}: ${JSON.stringify(totals)}\n`);
        expect(totals.merged).toBeGreaterThan(0);
        expect(totals.refused).toBeGreaterThan(0);
      },
      3_600_000,
    );
  });
}
