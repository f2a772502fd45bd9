import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HostedService } from '../support/hosted/hosted-service.js';
import { type LifeStep, RunLife } from '../support/hosted/run-life.js';

/** What the worker goes on with after the step was acknowledged. */
const WORKED_ON: readonly LifeStep[] = ['opened', 'ended', 'commanded', 'apply ended', 'merged'];

describe('A run whose processes are killed at every step', () => {
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

  async function aLife(): Promise<RunLife> {
    const repository = await service.repository({ 'a/main.tf': '' });
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
});
