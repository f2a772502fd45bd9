import type { HostedRepository } from './hosted-repository.js';
import type { HostedService } from './hosted-service.js';

interface EndedRun {
  id: string;
  run_type: string;
  state: string;
  error_id: string | null;
}

/**
 * Everything that happened is said once: one dispatch and one comment of each run, one set of statuses, nobody waits, and
 * nothing is held any more. Answers the runs in order.
 */
export async function expectWhole(
  service: HostedService,
  repository: HostedRepository,
  { dir = 'a' }: { dir?: string } = {},
): Promise<EndedRun[]> {
  const id = await service.repositoryId(repository);
  const sha = repository.sha('topic');
  const contexts = ['apply', `apply: ${dir} default`, 'plan', `plan: ${dir} default`].map(
    (of) => `infrastate ${of}`,
  );
  const isWhole = () => contexts.every((context) => repository.statuses(sha)[context]?.state === 'success');
  await service.eventually('the statuses', isWhole).catch((error: unknown) => {
    throw new Error(JSON.stringify(repository.statuses(sha), null, 1), { cause: error });
  });
  // What a killed worker had begun, another one goes on with.
  await service.eventually('the end of all work', async () => {
    const { rows } = await service.pool.query<{ is_left: boolean }>(
      `SELECT EXISTS (SELECT FROM work_manifests WHERE repository_id = $1 AND reported_at IS NULL)
           OR EXISTS (SELECT FROM dirspace_holds WHERE repository_id = $1)
           OR EXISTS (SELECT FROM webhook_deliveries WHERE state <> 'processed' AND event LIKE '%pull_request%') AS is_left`,
      [id],
    );
    return rows[0]?.is_left === false;
  });
  expect(Object.keys(repository.statuses(sha)).toSorted()).toEqual(contexts);
  const { rows: runs } = await service.pool.query<EndedRun & { is_reported: boolean; started: boolean }>(
    `SELECT id, run_type, state, error_id, reported_at IS NOT NULL AS is_reported FROM work_manifests
      WHERE repository_id = $1 ORDER BY created_at`,
    [id],
  );
  expect(runs.filter(({ is_reported }) => !is_reported)).toEqual([]);
  expect(repository.dispatches()).toHaveLength(runs.length);
  expect(new Set(repository.dispatches().map(({ inputs }) => inputs['work_token'])).size).toBe(runs.length);
  for (const run of runs)
    expect(repository.comments().filter((text) => text.includes(`/runs/${run.id})`))).toHaveLength(1);
  const left = await service.pool.query(
    `SELECT (SELECT count(*)::int FROM dirspace_holds WHERE repository_id = $1) AS holds,
            (SELECT count(*)::int FROM running_dirspaces WHERE repository_id = $1) AS running,
            (SELECT count(*)::int FROM webhook_deliveries WHERE state <> 'processed' AND event LIKE '%pull_request%') AS waiting,
            (SELECT count(*)::int FROM work_manifests WHERE repository_id = $1 AND state IN ('queued', 'running')) AS runs`,
    [id],
  );
  expect(left.rows).toEqual([{ holds: 0, running: 0, waiting: 0, runs: 0 }]);
  return runs.map(({ id: runId, run_type, state, error_id }) => ({ id: runId, run_type, state, error_id }));
}
