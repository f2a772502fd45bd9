import { randomUUID } from 'node:crypto';
import { allProcessed, type CodeHosting, eventually, startCodeHosting } from '../support/code-hosting.js';
import { rounds } from '../support/endurance.js';
import type { GithubPull, GithubRepository } from '../support/code-hosts/github-stand-in.js';
import { type Admin, anAdmin, call, must, startGenerous } from '../support/identity.js';
import type { RunningService } from '../support/service.js';

const REPOSITORIES = rounds(3, 6);
const PULLS_OF_REPOSITORY = rounds(3, 5);

interface Sent {
  id: string;
  repository: GithubRepository;
  pull: GithubPull;
}

describe('Deliveries and processes that are killed', () => {
  let hosts: CodeHosting;
  let second: RunningService;
  let admin: Admin;
  let installationId: number;
  const repositories: GithubRepository[] = [];

  beforeAll(async () => {
    hosts = await startCodeHosting();
    second = await startGenerous({ database: hosts.api.database, env: hosts.env });
    admin = await anAdmin(hosts.api);
    installationId = hosts.github.install('acme').id;
    for (let index = 0; index < REPOSITORIES; index += 1)
      repositories.push(hosts.github.addRepository('acme', `infra-${index}`, { 'main.tf': '' }));
    await hosts.github.deliver(hosts.api, 'installation', {
      action: 'created',
      installation: { id: installationId },
    });
    await allProcessed(hosts.api);
    const { rows } = await hosts.api.pool.query<{ id: string }>('SELECT id FROM installations');
    await must(hosts.api, 'PUT', `/tenants/${admin.tenantId}/vcs-installations/github/${rows[0]?.id}`, {
      as: admin.token,
    });
  }, 240_000);
  afterAll(async () => {
    await second.stop();
    await hosts.stop();
  });

  async function query<T>(sql: string, parameters: unknown[] = []): Promise<T[]> {
    return (await hosts.api.pool.query(sql, parameters)).rows as T[];
  }

  /** A pull request of every repository, each with the id of its delivery. */
  function newPulls(round: string): Sent[] {
    return repositories.flatMap((repository) =>
      Array.from({ length: PULLS_OF_REPOSITORY }, (_, index) => ({
        id: randomUUID(),
        repository,
        pull: hosts.github.addPull(repository, `${round}-${index}`, { [`${round}-${index}.tf`]: '' }),
      })),
    );
  }

  const deliver = ({ id, repository, pull }: Sent, to: RunningService) =>
    hosts.github
      .deliver(
        to,
        'pull_request',
        { ...hosts.github.payloadOf(repository), action: 'opened', pull_request: { number: pull.number } },
        { id },
      )
      .catch(() => 0);

  async function expectEachOnce(sent: readonly Sent[]): Promise<void> {
    const ids = sent.map(({ id }) => id);
    const rows = await query<{ delivery_id: string; state: string; attempts: number }>(
      'SELECT delivery_id, state, attempts FROM webhook_deliveries WHERE delivery_id = ANY ($1)',
      [ids],
    );
    expect(rows.map(({ delivery_id }) => delivery_id).sort()).toEqual([...ids].sort());
    expect(new Set(rows.map(({ state }) => state))).toEqual(new Set(['processed']));
    // A change of `main.tf` was planned once for every pull request, however often its delivery was worked on.
    const runs = await query<{ n: number; name: string; number: number }>(
      `SELECT count(m.id)::int AS n, r.name, p.number
         FROM pull_requests p JOIN repositories r ON r.id = p.repository_id
         LEFT JOIN work_manifests m ON m.repository_id = r.id AND m.pull_number = p.number
        WHERE p.branch = ANY ($1) GROUP BY r.name, p.number`,
      [sent.map(({ pull }) => pull.branch)],
    );
    expect(runs).toHaveLength(sent.length);
    expect(new Set(runs.map(({ n }) => n))).toEqual(new Set([1]));
    const late = await query(
      `SELECT FROM (SELECT processed_at < lag(processed_at) OVER (PARTITION BY lane ORDER BY seq) AS is_late
                      FROM webhook_deliveries WHERE delivery_id = ANY ($1)) d WHERE is_late`,
      [ids],
    );
    expect(late).toEqual([]);
  }

  it('survive kill -9 of the API that has just stored them, and of every process at once', async () => {
    const sent = newPulls('stored');
    await hosts.worker.kill9();
    expect(new Set(await Promise.all(sent.map((one) => deliver(one, second))))).toEqual(new Set([200]));
    // Whoever would have announced them is dead: the sweep of the worker finds them.
    await Promise.all([second.kill9(), hosts.api.kill9()]);
    await Promise.all([hosts.worker.restart(), second.restart(), hosts.api.restart()]);
    await allProcessed(hosts.api);
    await expectEachOnce(sent);
  });

  it('repeated deliveries act once, with and without an earlier answer', async () => {
    const sent = newPulls('unanswered');
    const first = sent.map((one) => deliver(one, second));
    await eventually(async () => {
      const [row] = await query<{ n: number }>(
        'SELECT count(*)::int AS n FROM webhook_deliveries WHERE delivery_id = ANY ($1)',
        [sent.map(({ id }) => id)],
      );
      return (row?.n ?? 0) > 0;
    });
    await second.kill9();
    await Promise.all(first);
    for (let times = 0; times < 2; times += 1)
      expect(new Set(await Promise.all(sent.map((one) => deliver(one, hosts.api))))).toEqual(new Set([200]));
    await second.restart();
    await allProcessed(hosts.api);
    await expectEachOnce(sent);
  });

  it('are worked on once while two workers take them and one of them is killed', async () => {
    const other = await startGenerous({ role: 'worker', database: hosts.api.database, env: hosts.env });
    hosts.github.latencyMs = 60;
    const sent = newPulls('shared');
    await Promise.all(sent.map((one, index) => deliver(one, index % 2 === 0 ? hosts.api : second)));
    await eventually(async () => {
      const rows = await query(
        `SELECT FROM webhook_deliveries WHERE state = 'processed' AND delivery_id = ANY ($1)`,
        [sent.map(({ id }) => id)],
      );
      return rows.length > 1;
    });
    await other.kill9();
    hosts.github.latencyMs = 0;
    // The leases of the dead worker end by themselves after a minute: those that nobody has renewed for five seconds.
    await eventually(async () => {
      await query(
        `UPDATE webhook_lanes SET leased_until = now() - interval '1 second' WHERE leased_until < now() + interval '55 seconds'`,
      );
      const waiting = await query(`SELECT FROM webhook_deliveries WHERE state = 'received'`);
      return waiting.length === 0;
    });
    await expectEachOnce(sent);
  });

  describe.each(['database', 'provider'] as const)('while the %s refuses what they need', (refusing) => {
    const branch = `refused-by-${refusing}`;
    const attempted = async (sent: Sent) => {
      const [row] = await query<{ state: string; attempts: number }>(
        'SELECT state, attempts FROM webhook_deliveries WHERE delivery_id = $1',
        [sent.id],
      );
      return row;
    };
    /** The pauses between attempts are over. */
    const hurry = () => query(`UPDATE webhook_deliveries SET retry_at = now() WHERE state = 'received'`);

    async function refuse(number: number): Promise<() => Promise<void>> {
      if (refusing === 'provider') {
        hosts.github.fail({ matches: new RegExp(`/pulls/${number}$`), status: 422, times: 1_000 });
        return async () => hosts.github.healed();
      }
      await query(`CREATE OR REPLACE FUNCTION refuse_run() RETURNS trigger LANGUAGE plpgsql
                   AS $$ BEGIN RAISE EXCEPTION 'as asked for'; END $$`);
      await query(`CREATE TRIGGER refuse_run BEFORE INSERT ON work_manifests FOR EACH ROW
                   WHEN (NEW.branch = '${branch}') EXECUTE FUNCTION refuse_run()`);
      return async () => void (await query('DROP TRIGGER refuse_run ON work_manifests'));
    }

    it('are tried until they succeed, are shown, and hold up nothing behind them', async () => {
      const [repository] = repositories as [GithubRepository];
      const aPull = (name: string): Sent => ({
        id: randomUUID(),
        repository,
        pull: hosts.github.addPull(repository, name, { [`${name}.tf`]: '' }),
      });
      const sent = aPull(branch);
      const allow = await refuse(sent.pull.number);
      expect(await deliver(sent, hosts.api)).toBe(200);
      await eventually(async () => {
        await hurry();
        return ((await attempted(sent))?.attempts ?? 0) >= 6;
      });
      const behind = aPull(`behind-${branch}`);
      expect(await deliver(behind, hosts.api)).toBe(200);
      await eventually(async () => (await attempted(behind))?.state === 'processed');
      expect(await attempted(sent)).toMatchObject({ state: 'received' });
      const { body } = await call<{ results: Record<string, unknown>[] }>(
        hosts.api,
        'GET',
        `/tenants/${admin.tenantId}/vcs-installations/deliveries?limit=2`,
        { as: admin.token },
      );
      expect(body.results[1]).toMatchObject({
        state: 'received',
        error: refusing === 'database' ? 'INTERNAL_ERROR' : 'PROVIDER_REFUSED',
        next_attempt_at: expect.any(String),
      });
      const metrics = await (await fetch(`${hosts.worker.internalUrl}/metrics`)).text();
      expect(metrics).toContain('vcs_failing_deliveries 1');
      await allow();
      await eventually(async () => {
        await hurry();
        return (await attempted(sent))?.state === 'processed';
      });
      await expectEachOnce([sent, behind]);
    }, 240_000);
  });
});
