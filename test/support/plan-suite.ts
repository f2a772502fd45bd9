import { aBackend, type TestBackend } from './backend.js';
import { FakeProvider } from './fake-provider/index.js';
import { PlanHome } from './plan-home.js';
import { type RunningService, startService } from './service.js';

/** A service with a worker, a fake provider, and homes that go when the suite ends. */
export class PlanSuite {
  private readonly homes: PlanHome[] = [];

  private constructor(
    readonly backend: TestBackend,
    private readonly worker: RunningService,
    readonly provider: FakeProvider,
  ) {}

  /** `env`: settings of the service and its worker. */
  static async start(env: Record<string, string> = {}): Promise<PlanSuite> {
    const [backend, provider] = await Promise.all([aBackend({ env }), FakeProvider.start()]);
    const worker = await startService({ role: 'worker', database: backend.service.database, env });
    return new PlanSuite(backend, worker, provider);
  }

  async aHome(files: Record<string, string>): Promise<PlanHome> {
    return this.keep(await PlanHome.create(this.backend, files, this.provider));
  }

  /** Somebody else's directory for the same state. */
  anotherHome(home: PlanHome, files: Record<string, string>): PlanHome {
    return this.keep(home.another(files));
  }

  async txState(id: string): Promise<string> {
    return ((await this.backend.api('GET', `/tx/${id}`)).json() as { tx: { state: string } }).tx.state;
  }

  async stop(): Promise<void> {
    for (const home of this.homes) home.remove();
    await this.provider.stop();
    await this.worker.stop();
    await this.backend.stop();
  }

  private keep(home: PlanHome): PlanHome {
    this.homes.push(home);
    return home;
  }
}
