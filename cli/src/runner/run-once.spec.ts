import { execFileSync, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { setTimeout as delay } from 'node:timers/promises';
import { PlayedRunService } from '../../../test/support/played-run-service.js';
import { KILL_AFTER_MS } from './processes.js';
import { runOnce, type RunRequest } from './run-once.js';

const TOKEN = 'the-work-token';

/** A process whose parent has not asked for its exit code yet has ended, too. */
function isAlive(pid: string): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', pid], { encoding: 'utf8' });
  return /^[^Z\s]/.test(stdout);
}

describe('A run', () => {
  let service: PlayedRunService;
  let home: string;
  let head: string;
  let restore: () => void;

  beforeAll(() => {
    const write = process.stdout.write.bind(process.stdout);
    process.stdout.write = () => true;
    restore = () => void (process.stdout.write = write);
  });
  afterAll(() => restore());

  beforeEach(async () => {
    service = await PlayedRunService.start();
    home = mkdtempSync(join(tmpdir(), 'run-once-'));
    for (const dir of ['a', 'b', 'c']) {
      mkdirSync(join(home, 'repository', dir), { recursive: true });
      writeFileSync(join(home, 'repository', dir, 'main.tf'), '');
    }
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@example', ...args], {
        cwd: join(home, 'repository'),
        encoding: 'utf8',
      });
    git('init', '--quiet', '--initial-branch=main');
    git('add', '.');
    git('commit', '--quiet', '--message=all');
    head = git('rev-parse', 'HEAD').trim();
  });
  afterEach(() => {
    service.stop();
    rmSync(home, { recursive: true, force: true });
  });

  /** A shell script that stands for Terraform; `$1` is its command. */
  function engine(script: string) {
    const command = join(home, 'engine');
    writeFileSync(command, `#!/bin/sh\necho "$1 $INFRASTATE_DIR" >> ${home}/calls\n${script}\n`, {
      mode: 0o755,
    });
    return { name: 'terraform', command };
  }

  const calls = (): string[] =>
    existsSync(join(home, 'calls')) ? readFileSync(join(home, 'calls'), 'utf8').trim().split('\n') : [];

  function workOf(runType: 'plan' | 'apply', dirspaces: Record<string, unknown>[], more = {}) {
    const [base_ref, head_ref] = ['main', 'main'];
    const of = { strategy: 'head', base_ref, base_sha: head, head_ref, head_sha: head };
    return {
      protocol: 1,
      id: 'run',
      run_type: runType,
      kind: 'pull_request',
      repository: { provider: 'github', owner: 'o', name: 'n', clone_url: join(home, 'repository') },
      checkout: { ...of, username: 'x', password: 'the-password-of-the-checkout' },
      dirspaces: dirspaces.map((dirspace) => ({
        workspace: 'default',
        tags: [],
        mode: 'full',
        has_plan: false,
        steps: [{ type: 'init' }, { type: runType }],
        ...dirspace,
      })),
      hooks: { pre: [], post: [] },
      timeout_minutes: 60,
      parallel: 3,
      ...more,
    };
  }

  const run = (more: Partial<RunRequest> = {}): Promise<number> =>
    runOnce({
      workToken: TOKEN,
      apiBase: service.url,
      env: { PATH: process.env['PATH'] ?? '', HOME: home },
      log: () => undefined,
      ...more,
    });

  async function until(what: string, isSo: () => boolean): Promise<void> {
    for (let n = 0; !isSo(); n++) {
      if (n > 2000) throw new Error(`${what} did not happen`);
      await delay(20);
    }
  }

  const failuresOf = (step: string): unknown[] =>
    service.steps
      .filter((each) => each.step === step && each.state === 'failure')
      .map(({ payload }) => payload['text']);

  const [state_id, group_id, tenant_id] = [randomUUID(), randomUUID(), randomUUID()];
  const STATE = { state_id, group_id, workspace: 'default', tenant_id };
  const REACHED = '{"version":4,"serial":2}';

  /** What the client's planning keeps of a plan. */
  function deltaPlan(): Buffer {
    const bundle = { hcl: [], files: [], state: '{"version":4,"serial":1}', isEmpty: false };
    const of = { format: 1, service: service.url, tx: 'tx', state: {}, has_changes: true, operations: [] };
    return gzipSync(JSON.stringify({ ...of, bundle, has_private_values: false, plan: '', lock: null }));
  }

  describe.each([
    ['without a state', {}, []],
    ['with a state and mode full', { state: STATE, mode: 'full' }, [{ kind: 'abort' }]],
    [
      'with a state and mode delta',
      { state: STATE, mode: 'delta' },
      [{ kind: 'commit' }, { kind: 'commit_failed', state: JSON.parse(REACHED) as object }],
    ],
  ])('that was aborted, %s', (_, fields, transactions) => {
    const isDelta = 'mode' in fields && fields.mode === 'delta';

    beforeEach(() => {
      service.plan = { bytes: isDelta ? deltaPlan() : 'planned' };
    });

    /** An apply; `init` says that the state is kept by the service. */
    function applying(script: string) {
      const backend = '{"backend":{"type":"http"}}';
      return workOf('apply', [
        {
          dir: 'a',
          has_plan: true,
          ...fields,
          engine:
            engine(`[ "$1" != init ] || { mkdir -p "$TF_DATA_DIR" && echo '${backend}' > "$TF_DATA_DIR/terraform.tfstate"; }
[ "$1" = apply ] || exit 0
[ ! -e terraform.tfstate ] || echo '${REACHED}' > terraform.tfstate
${script}`),
        },
      ]);
    }

    afterEach(() => expect(service.transactions).toMatchObject(transactions));

    it('is told so at its next call, stops Terraform with SIGINT, and posts what it has', async () => {
      service.work = applying(`trap 'echo "stopped by SIGINT"; exit 1' INT
touch ${home}/applying
while :; do sleep 0.05; done`);
      const code = run();
      await until('the apply', () => existsSync(join(home, 'applying')));
      service.abort();
      expect(await code).toBe(3);
      expect(failuresOf('tf/apply')).toEqual([expect.stringContaining('stopped by SIGINT')]);
      expect(service.results).toMatchObject([
        { success: false, dirspaces: [{ dir: 'a', workspace: 'default', success: false }] },
      ]);
    });

    it('kills a program that ignores SIGINT, with all that it has started, after a while', async () => {
      service.work = applying(`trap '' INT
sleep 300 &
echo "$$ $!" > ${home}/pids.draft
mv ${home}/pids.draft ${home}/pids
wait
sleep 300`);
      const code = run({ killAfterMs: 300 });
      await until('the apply', () => existsSync(join(home, 'pids')));
      const pids = readFileSync(join(home, 'pids'), 'utf8').trim().split(' ');
      service.abort();
      expect(await code).toBe(3);
      await until('the end of both', () => pids.every((pid) => !isAlive(pid)));
      expect(service.results).toHaveLength(1);
      expect(KILL_AFTER_MS).toBe(60_000);
    });
  });

  describe('that takes longer than its configuration allows', () => {
    const REASON = expect.stringMatching(/^stopped after 60 minutes: `timeout_minutes`/) as string;

    /** The end of the minutes comes when the test says so. */
    function aLimit() {
      const limit = { ms: 0, isCalledOff: false, end: (): void => undefined };
      const after: RunRequest['after'] = (ms, work) => {
        Object.assign(limit, { ms, end: work });
        return () => (limit.isCalledOff = true);
      };
      return { limit, after };
    }

    it.each([
      ['ends at SIGINT', `trap 'echo "stopped by SIGINT"; exit 1' INT`, 60_000, 'stopped by SIGINT'],
      ['ignores SIGINT', `trap '' INT; echo 'as far as it came'`, 100, 'as far as it came'],
    ])('fails its directories and says why, when Terraform %s', async (_, trap, killAfterMs, text) => {
      const applying = engine(`[ "$1" = apply ] || exit 0
${trap}
touch ${home}/applying
while :; do sleep 0.05; done`);
      const dirspaces = ['a', 'b'].map((dir) => ({ dir, has_plan: true, engine: applying }));
      service.work = workOf('apply', dirspaces, { parallel: 1 });
      service.plan = { bytes: 'planned' };
      const { limit, after } = aLimit();
      const code = run({ after, killAfterMs });
      await until('the apply', () => existsSync(join(home, 'applying')));
      expect(limit.ms).toBeGreaterThan(0);
      expect(limit.ms).toBeLessThanOrEqual(60 * 60_000);
      limit.end();
      expect(await code).toBe(1);
      // Nothing was begun for the second directory.
      expect(failuresOf('tf/apply')).toEqual([REASON, REASON]);
      expect(failuresOf('tf/apply')[0]).toContain(text);
      expect(calls()).toEqual(['init a', 'apply a']);
      expect(service.results).toEqual([
        {
          success: false,
          dirspaces: ['a', 'b'].map((dir) => ({ dir, workspace: 'default', success: false })),
        },
      ]);
    });

    it('says so of a hook that is stopped, and of the directories that were not begun', async () => {
      const slow = ['sh', '-c', `touch ${home}/hooking; while :; do sleep 0.05; done`];
      service.work = workOf('plan', [{ dir: 'a', engine: engine('') }], {
        hooks: { pre: [{ type: 'run', cmd: slow }], post: [] },
      });
      const { limit, after } = aLimit();
      const code = run({ after });
      await until('the hook', () => existsSync(join(home, 'hooking')));
      limit.end();
      expect(await code).toBe(1);
      expect([failuresOf('run'), failuresOf('tf/plan')]).toEqual([[REASON], [REASON]]);
      expect(calls()).toEqual([]);
    });

    it('is not stopped once it has ended', async () => {
      service.work = workOf('plan', [{ dir: 'a', engine: engine('') }]);
      const { limit, after } = aLimit();
      expect(await run({ after })).toBe(0);
      expect(limit.isCalledOff).toBe(true);
    });
  });

  describe('that applies', () => {
    const applying = { dir: 'a', has_plan: true };

    it('applies the bytes that the service has kept', async () => {
      const keeping = engine(`if [ "$1" = apply ]; then cat "$INFRASTATE_PLAN_FILE" > ${home}/applied; fi`);
      service.work = workOf('apply', [{ ...applying, engine: keeping }]);
      service.plan = { bytes: 'exactly this plan' };
      expect(await run()).toBe(0);
      expect(readFileSync(join(home, 'applied'), 'utf8')).toBe('exactly this plan');
    });

    it.each([
      [
        'there is no plan for it',
        { has_plan: false },
        undefined,
        'there is no plan file for this apply; plan again',
      ],
      ['the plan is gone', {}, undefined, 'plan file not found'],
      [
        'the plan has another checksum',
        {},
        { bytes: 'other bytes', digest: 'x'.repeat(43) + '=' },
        'the plan file does not have its checksum; plan again',
      ],
    ])('refuses when %s, and starts no Terraform', async (_, fields, plan, text) => {
      service.work = workOf('apply', [{ ...applying, ...fields, engine: engine('') }]);
      service.plan = plan;
      expect(await run()).toBe(1);
      expect(failuresOf('tf/apply')).toEqual([text]);
      expect(calls()).toEqual(['init a']);
    });

    it('applies in the order of dependencies, and nothing on top of what has failed', async () => {
      const failing = engine(
        '[ "$INFRASTATE_DIR" = b ] && [ "$1" = apply ] && exit 1; [ "$1" != plan ] || exit 2',
      );
      const steps = [{ type: 'init' }, { type: 'plan' }, { type: 'apply' }];
      const planned = engineWithPlan(failing.command);
      // `a` depends on `b`, which fails; `c` depends on nothing.
      service.work = workOf(
        'apply',
        [
          { dir: 'a', engine: planned, steps, depends_on: 0 },
          { dir: 'b', engine: planned, steps },
          { dir: 'c', engine: planned, steps },
        ],
        { kind: 'drift', dependency_lists: [[1]], parallel: 3 },
      );
      expect(await run()).toBe(1);
      expect(calls().filter((call) => call.endsWith(' a'))).toEqual([]);
      expect(calls()).toEqual(expect.arrayContaining(['apply b', 'apply c']));
      expect(failuresOf('tf/apply')).toContain('not applied: b (default), which it depends on, has failed');
      expect(service.results[0]?.['dirspaces']).toEqual([
        { dir: 'a', workspace: 'default', success: false },
        expect.objectContaining({ dir: 'b', success: false }),
        expect.objectContaining({ dir: 'c', success: true }),
      ]);
    });

    it('plans what depends on a plan that has failed, after it', async () => {
      const failing = engine('[ "$INFRASTATE_DIR" = b ] && [ "$1" = plan ] && exit 1; exit 0');
      service.work = workOf(
        'plan',
        [
          { dir: 'a', engine: failing, depends_on: 0 },
          { dir: 'b', engine: failing },
        ],
        { kind: 'drift', dependency_lists: [[1]] },
      );
      expect(await run()).toBe(1);
      expect(calls()).toEqual(['init b', 'plan b', 'init a', 'plan a']);
    });
  });

  /** Writes a plan file where a plan says `-out`. */
  function engineWithPlan(command: string) {
    const wrapper = join(home, 'planning-engine');
    writeFileSync(
      wrapper,
      `#!/bin/sh\n[ "$1" = plan ] && echo planned > "$INFRASTATE_PLAN_FILE" && echo 'Plan: 1 to add, 0 to change, 0 to destroy.'\nexec ${command} "$@"\n`,
      { mode: 0o755 },
    );
    return { name: 'terraform', command: wrapper };
  }
});
