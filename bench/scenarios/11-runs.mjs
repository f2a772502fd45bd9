// Selection of what a pull request changes, and the queue of runs with 10,000 waiting.
import { spawnSync } from 'node:child_process';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { quantile } from '../service.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const DIRECTORIES = 5000;
const CHANGED = 300;
const WAITING = 10_000;
const PICKS = 300;
const SELECTION_GOAL_MS = 150;
const PICK_GOAL_MS = 20;

export const environment = {
  SERVICE_ORCHESTRATION_ENABLED: 'true',
  SERVICE_ENCRYPTION_KEYS: `bench:${randomBytes(32).toString('base64')}`,
  SERVICE_RUNS_PER_INSTALLATION: '100000',
};

export async function run(service) {
  return [selection(), await picks(service)];
}

/** In a process of its own, the first time that its rules run: as for the first pull request after a start. */
function selection() {
  const script = `
    const rules = require(${JSON.stringify(join(root, 'dist', 'modules', 'repo-config', 'index.js'))});
    const paths = Array.from({ length: ${DIRECTORIES} }, (_, n) => ['env' + (n % 50) + '/app' + n + '/main.tf', 'env' + (n % 50) + '/app' + n + '/vars.tfvars']).flat();
    const files = Array.from({ length: ${CHANGED} }, (_, n) => ({ path: paths[(n * 33) % paths.length] }));
    const config = rules.parseRepoConfig('dirs: {"env1/*": {tags: [one]}, "env2/**": {environment: live}}', 'config.yml');
    const start = process.cpuUsage();
    const all = rules.dirspacesOf(rules.rootDirectories(paths), config);
    const changed = rules.changedDirspaces(all, new rules.ChangedFiles(files));
    rules.dependenciesOf(all);
    const { user, system } = process.cpuUsage(start);
    process.stdout.write(JSON.stringify({ ms: (user + system) / 1000, changed: changed.length }));`;
  const result = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' });
  if (result.status !== 0) throw new Error(result.stderr);
  const { ms, changed } = JSON.parse(result.stdout);
  return row(
    `selection in ${DIRECTORIES} directories, ${CHANGED} changed files (${changed} directories), processor time`,
    ms,
    SELECTION_GOAL_MS,
  );
}

async function picks(service) {
  const token = `infrastate_pool_${randomUUID()}`;
  await fill(service, token);
  const times = [];
  for (let n = 0; n < PICKS; n++) {
    const start = performance.now();
    const answer = await fetch(`${service.base}/api/v1/runner/claim`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ wait_seconds: 0, runner: { version: '0.1.0', protocol: 1 } }),
    });
    await answer.text();
    if (answer.status !== 200) throw new Error(`claim ${n} answered ${answer.status}`);
    times.push(performance.now() - start);
  }
  const measured = quantile(times, 0.99);
  return row(
    `queue pick with ${WAITING} waiting in 50 repositories, p99 of ${PICKS} (median ${quantile(times, 0.5).toFixed(1)} ms), as a request of a pool`,
    measured,
    PICK_GOAL_MS,
  );
}

async function fill({ pool, tenant }, token) {
  const installation = randomUUID();
  await pool.query(
    `INSERT INTO installations (id, provider, installation_id, tenant_id, name, target_type, state)
     VALUES ($1, 'github', '1', $2, 'bench', 'organization', 'active')`,
    [installation, tenant],
  );
  await pool.query(
    `INSERT INTO repositories (id, installation_id, provider_id, owner, name, default_branch, clone_url, web_url)
     SELECT gen_random_uuid(), $1, n::text, 'bench', 'r' || n, 'main', '', '' FROM generate_series(1, 50) n`,
    [installation],
  );
  await pool.query(
    `INSERT INTO runner_pools (id, tenant_id, name, token_hash) VALUES (gen_random_uuid(), $1, 'bench', $2)`,
    [tenant, createHash('sha256').update(token).digest()],
  );
  await pool.query(
    `INSERT INTO work_manifests (id, installation_id, repository_id, kind, run_type, state, owner, repo, branch, branch_ref,
       base_branch, base_ref, created_at, trigger_key, place, pool)
     SELECT gen_random_uuid(), $1, r.id, 'drift', CASE WHEN n % 10 = 0 THEN 'apply' ELSE 'plan' END, 'queued', 'bench', r.name,
       'main', 'a', 'main', 'a', now() + n * interval '1 ms', n::text, 'pool', 'bench'
       FROM repositories r, generate_series(1, ${WAITING / 50}) n WHERE r.installation_id = $1`,
    [installation],
  );
  await pool.query(
    `INSERT INTO work_manifest_dirspaces (work_manifest_id, position, dir, workspace, state, installation_id, repository_id, repo,
       kind, run_type, branch, created_at)
     SELECT id, 0, 'dir-' || trigger_key, 'default', 'queued', installation_id, repository_id, repo, kind, run_type, branch, created_at
       FROM work_manifests WHERE installation_id = $1`,
    [installation],
  );
  await pool.query('ANALYZE work_manifests, work_manifest_dirspaces, running_dirspaces, dirspace_modes');
}

function row(work, measured, limit) {
  return {
    work,
    measured: `${measured.toFixed(1)} ms`,
    peer: `${limit} ms`,
    ratio: (measured / limit).toFixed(2),
    goal: 'at most 1',
    met: measured <= limit,
  };
}
