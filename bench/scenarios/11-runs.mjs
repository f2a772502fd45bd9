// Runs: selection of what a pull request changes, the queue with 10,000 waiting, the way from a webhook to a dispatch, many
// pull requests at once, and the real runner against the same commands by hand, in both modes, and with much output.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { bytesOf } from '../estate.mjs';
import { play, RunHosting } from '../run-hosting.mjs';
import { post, quantile } from '../service.mjs';
import { storeConfiguration } from '../stored-configuration.mjs';

export const title = 'Runs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const CLIENT = join(root, 'cli', 'bin', 'infrastate.js');
const TRACED = {
  NODE_OPTIONS: `--require ${join(root, 'bench', 'client-trace.cjs')} ${process.env.BENCH_CLIENT_ARGS ?? ''}`,
  BENCH_CLIENT_TRACE: process.env.BENCH_CLIENT_TRACE,
};
const DIRECTORIES = 5000;
const CHANGED = 300;
const WAITING = 10_000;
const PICKS = 300;
const SELECTION_GOAL_MS = 150;
const PICK_GOAL_MS = 20;
const DISPATCHES = 60;
const FILES = 100;
const PULLS = 500;
const REPOSITORIES = 50;
const RUNNERS = 40;
const HAND_ROUNDS = 5;
const INSTANCES = Number(process.env.BENCH_RUN_INSTANCES ?? 10_000);
const CHANGED_INSTANCE = 7;
/** Before those: a service that has just been started compiles what it runs. */
const DELTA_WARM_UP = Number(process.env.BENCH_RUN_WARM_UP ?? 2);
const DELTA_ROUNDS = Number(process.env.BENCH_RUN_DELTA_ROUNDS ?? 7);
const FULL_ROUNDS = Number(process.env.BENCH_RUN_FULL_ROUNDS ?? 2);
const OUTPUT_MEGABYTES = 20;
const CONSOLES = 20;

/** Some of them only: `BENCH_RUN_MEASURES=picks,deltaAndFull`. */
const MEASURES = process.env.BENCH_RUN_MEASURES?.split(',');
const isWanted = (name) => MEASURES === undefined || MEASURES.includes(name);

const hosting = await RunHosting.start();
export const environment = hosting.environment;

export async function run(service) {
  const directory = mkdtempSync(join(tmpdir(), 'bench-runs-'));
  try {
    const rows = [];
    if (isWanted('selection')) rows.push(selection());
    if (isWanted('picks')) rows.push(await picks(service));
    await service.pool.query('DELETE FROM installations');
    await service.pool.query(
      `WITH acting AS (INSERT INTO users (type, name) VALUES ('system', 'bench') RETURNING id),
         member AS (INSERT INTO tenant_members (tenant_id, user_id) SELECT $1, id FROM acting)
       INSERT INTO installations (provider, installation_id, tenant_id, name, target_type, state, system_user_id)
       SELECT 'github', '1', $1, 'bench', 'organization', 'active', id FROM acting`,
      [service.tenant],
    );
    await service.startWorker();
    for (const measure of [toDispatch, manyAtOnce, besideHand, deltaAndFull, output])
      try {
        if (!isWanted(measure.name)) continue;
        rows.push(...[await measure(service, directory)].flat());
      } catch (error) {
        process.stderr.write(`${measure.name}: ${error.stack}\n`);
      }
    return rows;
  } finally {
    hosting.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** From the webhook to the dispatch, one pull request after the other, in a repository of 5,000 directories. */
async function toDispatch(service) {
  const trees = Array.from({ length: DIRECTORIES }, (_, n) => `env${n % 50}/app${n}/main.tf`);
  const changed = Array.from({ length: FILES }, (_, n) => `env0/app0/file${n}.tf`);
  const repository = hosting.addRepository(1, { trees: { default: [...trees, ...changed] } });
  const times = [];
  const requests = [];
  for (let number = 1; number <= DISPATCHES + 5; number++) {
    repository.pulls.set(number, {
      number,
      branch: `b${number}`,
      head: hex(number),
      base: hex(0),
      files: changed,
    });
    const before = hosting.requests;
    const start = performance.now();
    await hosting.opened(service, repository, number);
    const dispatch = await hosting.dispatched(({ ref }) => ref === `b${number}`);
    times.push(dispatch.at - start);
    await play(service, dispatch);
    await settled();
    requests.push(hosting.requests - before);
  }
  const measured = quantile(times.slice(5), 0.95);
  const counted = requests.slice(5);
  return {
    ...row(
      `webhook to dispatch, quiet service, provider answering in 5 ms, ${DIRECTORIES} directories, ${FILES} changed files, p95 of ${DISPATCHES} (median ${quantile(times.slice(5), 0.5).toFixed(0)} ms; ${quantile(counted, 1)} requests at most, with those that report the result)`,
      measured,
      300,
    ),
  };
}

/** 500 pull requests delivered at once; 40 runners that each take what was dispatched first. */
async function manyAtOnce(service) {
  const repositories = Array.from({ length: REPOSITORIES }, (_, n) =>
    hosting.addRepository(100 + n, { trees: { default: ['a/main.tf'] } }),
  );
  hosting.dispatches.length = 0;
  const start = performance.now();
  await Promise.all(
    Array.from({ length: 16 }, async (_, lane) => {
      for (let n = lane; n < PULLS; n += 16) {
        const repository = repositories[n % REPOSITORIES];
        const number = 1 + Math.floor(n / REPOSITORIES);
        repository.pulls.set(number, {
          number,
          branch: `m${number}`,
          head: hex(n),
          base: hex(0),
          files: ['a/main.tf'],
        });
        await hosting.opened(service, repository, number);
      }
    }),
  );
  let done = 0;
  await Promise.all(
    Array.from({ length: RUNNERS }, async () => {
      while (done < PULLS) {
        const dispatch = hosting.dispatches.find((each) => !each.isTaken);
        if (!dispatch) {
          await delay(20);
          if (performance.now() - start > 400_000) throw new Error(`${done} of ${PULLS} after 400 s`);
          continue;
        }
        dispatch.isTaken = true;
        await play(service, dispatch, { workMs: 50 });
        done += 1;
      }
    }),
  );
  const seconds = (performance.now() - start) / 1000;
  const keys = hosting.dispatches.map(({ repository, ref }) => `${repository.name} ${ref}`);
  // In the ideal order each repository has its nth run in the nth round.
  const late = hosting.dispatches.map(({ ref }, at) => (at + 1) / (Number(ref.slice(1)) * REPOSITORIES));
  const worst = Math.max(...late);
  return {
    work: `${PULLS} pull requests at once over ${REPOSITORIES} repositories, ${RUNNERS} simulated runners: ${keys.length} runs of ${new Set(keys).size} pull requests in ${seconds.toFixed(1)} s; position of the most delayed run, divided by its position in the ideal order`,
    measured: worst.toFixed(2),
    peer: '2',
    ratio: (worst / 2).toFixed(2),
    goal: 'each once, at most 2',
    met: keys.length === PULLS && new Set(keys).size === PULLS && worst <= 2,
  };
}

/** The real runner with one directory, against the same commands by hand, in turns. */
async function besideHand(service, directory) {
  const files = { 'a/main.tf': 'resource "terraform_data" "it" { input = "x" }\n' };
  const { repository, git } = await aCheckout(directory, 200, files);
  const hand = join(directory, 'hand');
  mkdirSync(hand);
  writeFileSync(join(hand, 'main.tf'), files['a/main.tf']);
  const [mine, theirs] = [[], []];
  for (let round = 1; round <= HAND_ROUNDS; round++) {
    open(repository, git, round, { 'a/main.tf': files['a/main.tf'].replace('x', `x${round}`) });
    await hosting.opened(service, repository, round);
    const dispatch = await hosting.dispatched(({ ref }) => ref === `t${round}`);
    mine.push(await timed(() => client(directory, dispatch)));
    theirs.push(
      await timed(async () => {
        rmSync(join(hand, '.terraform'), { recursive: true, force: true });
        await execute('terraform', ['init', '-input=false', '-no-color'], hand);
        await execute('terraform', ['plan', '-input=false', '-no-color', '-out=plan'], hand);
      }),
    );
  }
  const more = quantile(mine, 0.5) - quantile(theirs, 0.5);
  return row(
    `\`infrastate run\` with one directory: additional time over \`terraform init\` and \`plan\` by hand (${quantile(mine, 0.5).toFixed(0)} ms against ${quantile(theirs, 0.5).toFixed(0)} ms, medians of ${HAND_ROUNDS})`,
    more,
    1500,
  );
}

/** One change in a large state, planned and applied by the runner, in both modes. */
async function deltaAndFull(service, directory) {
  const code = (value) =>
    `terraform {\n  backend "http" {}\n}\n${Array.from({ length: INSTANCES }, (_, n) => `resource "terraform_data" "n${n}" {\n  input = "${n === CHANGED_INSTANCE ? value : n}"\n}\n`).join('\n')}`;
  const { id, group_id: group } = await service.call('POST', `/tenants/${service.tenant}/states`, {
    name: 'runs',
  });
  await post(service, group, 'default', bytesOf(stateOfInstances()));
  const seed = join(directory, 'seed');
  mkdirSync(seed);
  writeFileSync(join(seed, 'main.tf'), code(CHANGED_INSTANCE));
  await storeConfiguration(service, id, seed);
  const configured = (mode) => `dirs: {a: {state: {group_id: ${group}}, mode: ${mode}}}\n`;
  const { repository, git } = await aCheckout(directory, 201, {
    'a/main.tf': code(CHANGED_INSTANCE),
    '.infrastate/config.yml': configured('delta'),
  });
  let number = 0;
  const change = async (mode, value) => {
    number += 1;
    const files = { 'a/main.tf': code(value), '.infrastate/config.yml': configured(mode) };
    repository.blobs['.infrastate/config.yml'] = files['.infrastate/config.yml'];
    open(repository, git, number, files);
    await hosting.opened(service, repository, number);
    const plan = await hosting.dispatched(({ ref }) => ref === `t${number}`);
    const planned = await timed(() => client(directory, plan));
    await settled();
    await hosting.comment(service, repository, number, 'infrastate apply');
    const apply = await hosting.dispatched(({ ref }) => ref === `t${number}`);
    const applied = await timed(() => client(directory, apply));
    await settled();
    // What it holds is let go, so that the next one may apply.
    await hosting.comment(service, repository, number, 'infrastate unlock');
    await settled();
    await requireApplied(service, id, value);
    return { planned, applied, both: planned + applied };
  };
  for (let round = 0; round < DELTA_WARM_UP; round++) await change('delta', `first-${round}`);
  const delta = [];
  for (let round = 0; round < DELTA_ROUNDS; round++) delta.push(await change('delta', `delta-${round}`));
  const full = [];
  for (let round = 0; round < FULL_ROUNDS; round++) full.push(await change('full', `full-${round}`));
  const median = (runs, of) =>
    quantile(
      runs.map((each) => each[of]),
      0.5,
    );
  if (full.length === 0) full.push({ planned: 1, applied: 1, both: 2 });
  const times = median(full, 'both') / median(delta, 'both');
  const told = (runs) =>
    `${median(runs, 'both').toFixed(0)} ms (plan ${median(runs, 'planned').toFixed(0)}, apply ${median(runs, 'applied').toFixed(0)})`;
  return {
    work: `one change in a state of ${INSTANCES} instances: a run in delta mode against \`mode: full\`, plan and apply, medians of ${DELTA_ROUNDS} and ${FULL_ROUNDS}`,
    measured: told(delta),
    peer: told(full),
    ratio: times.toFixed(2),
    goal: 'at least 20 times faster, with 10,000 instances',
    met: INSTANCES >= 10_000 && times >= 20,
  };
}

/** What terraform would have left. */
function stateOfInstances() {
  const value = (text) => ({ type: 'string', value: text });
  return {
    version: 4,
    terraform_version: '1.11.4',
    serial: 1,
    lineage: 'runs',
    outputs: {},
    resources: Array.from({ length: INSTANCES }, (_, n) => ({
      mode: 'managed',
      type: 'terraform_data',
      name: `n${n}`,
      provider: 'provider["terraform.io/builtin/terraform"]',
      instances: [
        {
          schema_version: 0,
          attributes: {
            id: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
            input: value(String(n)),
            output: value(String(n)),
            triggers_replace: null,
          },
          sensitive_attributes: [],
        },
      ],
    })),
    check_results: null,
  };
}

/** A run that changed nothing, or something else, must not count. */
async function requireApplied(service, stateId, value) {
  const { rows } = await service.pool.query(
    `SELECT count(*)::int AS total, min(attributes #>> '{output,value}') FILTER (WHERE address = $2) AS output
       FROM instances WHERE state_id = $1`,
    [stateId, `terraform_data.n${CHANGED_INSTANCE}`],
  );
  const [{ total, output }] = rows;
  if (total !== INSTANCES || output !== value)
    throw new Error(`expected ${INSTANCES} instances and ${value}, found ${total} and ${output}`);
}

/** 20 MB of output of one step, followed by 20 consoles. */
async function output(service, directory) {
  const print = `const line = 'x'.repeat(1023) + '\\n'; for (let n = 0; n < Number(process.argv[1]) * 1024; n++) process.stdout.write(line);`;
  const config = (megabytes) =>
    `hooks: {plan: {pre: [{type: run, cmd: [node, -e, ${JSON.stringify(print)}, '${megabytes}']}]}}\n`;
  const { repository, git } = await aCheckout(directory, 202, { 'a/main.tf': '' });
  const runWith = async (number, megabytes) => {
    const files = { '.infrastate/config.yml': config(megabytes), 'a/main.tf': `# ${number}\n` };
    repository.blobs['.infrastate/config.yml'] = files['.infrastate/config.yml'];
    open(repository, git, number, files);
    await hosting.opened(service, repository, number);
    const dispatch = await hosting.dispatched(({ ref }) => ref === `t${number}`);
    const { rows } = await service.pool.query(
      `SELECT id FROM work_manifests WHERE branch = $1 AND repo = $2 AND state = 'queued'`,
      [`t${number}`, repository.name],
    );
    const end = new AbortController();
    const consoles =
      megabytes > 0 ? Array.from({ length: CONSOLES }, () => follow(service, rows[0].id, end.signal)) : [];
    const peak = await clientPeak(directory, dispatch);
    const read = await Promise.all(consoles);
    end.abort();
    return { peak, read };
  };
  const idleRunner = (await runWith(1, 0)).peak;
  await delay(2000);
  const idle = service.memory('VmRSS');
  service.resetPeak();
  const { peak, read } = await runWith(2, OUTPUT_MEGABYTES);
  const above = (service.memory('VmHWM') - idle) / 1024;
  const runner = (peak - idleRunner) / 1024;
  const what = `${OUTPUT_MEGABYTES} MB of output of one step, live log read by ${CONSOLES} consoles (each ${(Math.min(...read) / 1e6).toFixed(1)} MB or more)`;
  return [
    memoryRow(`${what}: resident memory of the service above idle`, above, 150),
    memoryRow(`the same: resident memory of the runner above that of a run without output`, runner, 80),
  ];
}

function memoryRow(work, megabytes, limit) {
  return {
    work,
    measured: `${megabytes.toFixed(0)} MB`,
    peer: `${limit} MB`,
    ratio: (megabytes / limit).toFixed(2),
    goal: 'at most 1',
    met: megabytes <= limit,
  };
}

/** Reads the live log to its end; answers the characters that came. */
async function follow(service, id) {
  let [after, length] = [-1, 0];
  for (;;) {
    const { chunks, done } = await service.call(
      'GET',
      `/github/installations/1/work-manifests/${id}/log?after=${after}`,
    );
    for (const chunk of chunks) {
      after = chunk.seq;
      length += chunk.text.length;
    }
    if (done) return length;
    if (chunks.length === 0) await delay(500);
  }
}

/** A repository on disk that the runner fetches from. */
async function aCheckout(directory, id, files) {
  const path = join(directory, `${id}.git`);
  execFileSync('git', ['init', '-q', '--bare', '--initial-branch=main', path]);
  const git = (args, input) => execFileSync('git', ['-C', path, ...args], { encoding: 'utf8', input }).trim();
  git(['config', 'uploadpack.allowAnySHA1InWant', 'true']);
  const repository = hosting.addRepository(id, {
    cloneUrl: `file://${path}`,
    trees: { default: Object.keys(files) },
  });
  for (const [name, text] of Object.entries(files)) repository.blobs[name] = text;
  repository.mainSha = commit(git, 'main', files);
  return { repository, git };
}

function open(repository, git, number, files) {
  const head = commit(git, `t${number}`, files, 'main');
  const paths = [...new Set([...repository.trees.default, ...Object.keys(files)])];
  repository.trees.default = paths;
  repository.pulls.set(number, {
    number,
    branch: `t${number}`,
    head,
    base: repository.mainSha,
    files: Object.keys(files),
  });
}

function commit(git, branch, files, from) {
  const lines = [
    `commit refs/heads/${branch}`,
    `committer Bench <bench@example.com> ${Math.floor(Date.now() / 1000)} +0000`,
    'data 5\nbench',
    ...(from === undefined ? [] : [`from ${git(['rev-parse', from])}`]),
    ...Object.entries(files).map(
      ([path, text]) => `M 100644 inline ${path}\ndata ${Buffer.byteLength(text)}\n${text}`,
    ),
    '',
  ];
  git(['fast-import', '--quiet', '--force'], lines.join('\n'));
  return git(['rev-parse', branch]);
}

function clientEnvironment(directory, { inputs, id }) {
  return {
    PATH: process.env.PATH,
    HOME: directory,
    CHECKPOINT_DISABLE: '1',
    GITHUB_RUN_ID: String(id),
    INFRASTATE_WORK_TOKEN: inputs.work_token,
    INFRASTATE_API_BASE: inputs.api_base_url,
    ...(process.env.BENCH_CLIENT_TRACE ? TRACED : {}),
  };
}

function client(directory, dispatch) {
  return execute(process.execPath, [CLIENT, 'run'], directory, clientEnvironment(directory, dispatch));
}

/** Runs the client; answers its peak of resident memory in kB. */
async function clientPeak(directory, dispatch) {
  const child = spawn(process.execPath, [CLIENT, 'run'], {
    cwd: directory,
    env: clientEnvironment(directory, dispatch),
    stdio: 'ignore',
  });
  let peak = 0;
  const timer = setInterval(() => {
    try {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
      peak = Math.max(peak, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0));
    } catch {
      // It has ended.
    }
  }, 50);
  await new Promise((done) => child.once('close', done));
  clearInterval(timer);
  return peak;
}

function execute(program, args, cwd, env = { ...process.env, CHECKPOINT_DISABLE: '1' }) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let text = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (part) => (text = (text + part).slice(-4000)));
    child.once('close', (code) =>
      code === 0 ? resolve() : reject(new Error(`${program} ${args[0]} ended with ${code}: ${text}`)),
    );
  });
}

async function timed(act) {
  const start = performance.now();
  await act();
  return performance.now() - start;
}

/** Until the provider has not been asked for a while. */
async function settled() {
  for (let before = -1; before !== hosting.requests;) {
    before = hosting.requests;
    await delay(400);
  }
}

function hex(n) {
  return createHash('sha1').update(String(n)).digest('hex');
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
