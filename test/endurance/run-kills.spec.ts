import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DISTURBANCES } from '../support/call-proxy.js';
import type { StandInServer } from '../support/code-hosts/stand-in-server.js';
import { HostedService } from '../support/hosted/hosted-service.js';
import { CALL_POINTS, DELTA_CALL_POINTS, firstCallsFail, RealLife } from '../support/hosted/real-life.js';
import { type LifeStep, RunLife } from '../support/hosted/run-life.js';

/** What the worker goes on with after the step was acknowledged. */
const WORKED_ON: readonly LifeStep[] = ['opened', 'ended', 'commanded', 'apply ended', 'merged'];
const PROVIDERS = ['github', 'gitlab'] as const;

describe('A run whose processes are killed, and whose connections are cut, at every step', () => {
  let service: HostedService;
  let home: string;

  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'run-kills-'));
    service = await HostedService.start(home);
  }, 240_000);
  afterAll(async () => {
    await service.stop();
    rmSync(home, { recursive: true, force: true });
  });

  async function aLife(provider: (typeof PROVIDERS)[number] = 'github'): Promise<RunLife> {
    const repository = await service.repository({ 'a/main.tf': '' }, { provider });
    repository.setRole('author', 'write');
    return new RunLife(service, repository);
  }

  it.each(['api', 'worker', 'both'] as const)(
    'is whole after kill -9 of the %s with each step',
    async (killed) => {
      const life = await aLife();
      await life.live(() => killed);
      await life.expectWhole();
    },
    1_200_000,
  );

  it.each(WORKED_ON)(
    'is whole after kill -9 of the worker over what follows from: %s',
    async (step) => {
      const life = await aLife();
      await life.live((each) => (each === step ? 'worker' : undefined), { isWorking: true });
      await life.expectWhole();
    },
    600_000,
  );

  describe.each(['file', 'delta', 'full'] as const)('whose state is kept as: %s', (keeping) => {
    const points = keeping === 'delta' ? [...CALL_POINTS, ...DELTA_CALL_POINTS] : CALL_POINTS;
    describe.each(points)('of the $run, at $call $nth', (point) => {
      it.each(['before', 'after'] as const)(
        'is applied once after kill -9 of the runner %s the service has the call',
        async (when) => {
          const life = await RealLife.begin(service, { home, keeping });
          await life.killedAt(point, when);
          const { run, call, nth } = point;
          const isReportedLate = call === 'POST actuator/results' && when === 'before';
          const isSessionLeft = keeping === 'full' && call === 'POST steps' && nth === 1;
          await life.expectWhole({ isCommitted: run !== 'apply' || !(isReportedLate || isSessionLeft) });
        },
        600_000,
      );
    });

    it('is whole when the API is killed over the first call of each kind', async () => {
      const life = await RealLife.begin(service, { home, keeping });
      const kinds = await life.liveThroughKillsOfApi();
      await life.expectWhole();
      expect(kinds.length).toBeGreaterThan(6);
    }, 600_000);
  });

  describe.each(PROVIDERS)('for %s', (provider) => {
    it.each(DISTURBANCES.map((way, offset) => ({ way, offset })))(
      'is whole and applied once when each first call of its runners fails, beginning with $way',
      async ({ offset }) => {
        for (const keeping of ['file', 'delta', 'full'] as const) {
          const life = await RealLife.begin(service, { home, provider, keeping });
          await life.liveThrough(firstCallsFail(DISTURBANCES, offset));
          await life.expectWhole();
        }
      },
      600_000,
    );

    it.each(['isCut', 'isLost'] as const)(
      'is whole when each kind of request to the code host fails the first time: %s',
      async (how) => {
        const host: StandInServer = service.hosting[provider];
        const life = await aLife(provider);
        const seen = new Set<string>();
        host.disturb = (line) => {
          const kind = line.replace(/\?.*/, '').replace(/[0-9a-f]{40}|\d+/g, '…');
          if (line.includes('/git/') || seen.has(kind)) return undefined;
          seen.add(kind);
          return how;
        };
        try {
          await life.live(() => undefined);
        } finally {
          host.disturb = undefined;
        }
        await life.expectWhole();
        expect([...seen].some((kind) => /POST .*(dispatches|pipeline)$/.test(kind))).toBe(true);
        expect([...seen].some((kind) => /POST .*(comments|notes)$/.test(kind))).toBe(true);
        expect([...seen].some((kind) => /POST .*statuses/.test(kind))).toBe(true);
      },
      1_200_000,
    );
  });
});
