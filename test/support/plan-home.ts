import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { addressOf, backendBlock, type TestBackend } from './backend.js';
import type { FakeProvider } from './fake-provider/index.js';
import { TerraformWorkspace } from './terraform.js';

const PROGRAM = join(__dirname, '..', '..', 'cli', 'bin', 'infrastate.js');

export interface RunOutcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

interface HowToRun {
  env?: Record<string, string>;
  input?: string;
}

/** A state, and a directory with its configuration in which the built client runs the real terraform. */
export class PlanHome {
  readonly directory = mkdtempSync(join(tmpdir(), 'plan-home-'));
  /** where private directories are made */
  readonly scratch = mkdtempSync(join(tmpdir(), 'plan-scratch-'));
  private readonly cache = mkdtempSync(join(tmpdir(), 'plan-cache-'));
  private readonly env: Record<string, string>;

  private constructor(
    readonly backend: TestBackend,
    readonly state: { id: string; group_id: string },
    private readonly provider: FakeProvider | undefined,
    files: Record<string, string>,
  ) {
    this.env = {
      PATH: process.env['PATH'] ?? '',
      HOME: this.directory,
      XDG_CONFIG_HOME: join(this.directory, '.config'),
      XDG_CACHE_HOME: this.cache,
      TMPDIR: this.scratch,
      TF_CLI_CONFIG_FILE: join(this.scratch, 'terraform.rc'),
      CHECKPOINT_DISABLE: '1',
      INFRASTATE_API_BASE: backend.url,
      INFRASTATE_API_KEY: backend.key,
      INFRASTATE_TENANT_ID: backend.tenantId,
      INFRASTATE_STATE: state.id,
      // Tests that are about the impact of a plan wait for it.
      INFRASTATE_SECURITY_WAIT_SECONDS: '0',
      ...provider?.env,
    };
    writeFileSync(join(this.scratch, 'terraform.rc'), 'disable_checkpoint = true\n');
    this.write(files);
  }

  static async create(
    backend: TestBackend,
    files: Record<string, string>,
    provider?: FakeProvider,
  ): Promise<PlanHome> {
    const { id, groupId } = await backend.aState();
    return new PlanHome(backend, { id, group_id: groupId }, provider, files);
  }

  /** Somebody else's directory for the same state. */
  another(files: Record<string, string>): PlanHome {
    return new PlanHome(this.backend, this.state, this.provider, files);
  }

  /** Creates or replaces files; null removes one. */
  write(files: Record<string, string | null>): void {
    for (const [name, text] of Object.entries(files)) {
      const path = join(this.directory, name);
      if (text === null) unlinkSync(path);
      else {
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, text);
      }
    }
  }

  start(args: readonly string[], how: HowToRun = {}): ChildProcess {
    return spawn(process.execPath, [PROGRAM, ...args], {
      cwd: this.directory,
      env: { ...this.env, ...how.env },
    });
  }

  /** Runs to the end, whatever the exit code. */
  run(args: readonly string[], how: HowToRun = {}): Promise<RunOutcome> {
    return ended(this.start(args, how), how.input);
  }

  /** Plans and applies without asking; the JSON document of the result. */
  // oxlint-disable-next-line typescript/no-explicit-any -- JSON that only an assertion knows the shape of
  async apply(args: readonly string[] = [], how: HowToRun = {}): Promise<any> {
    const outcome = await this.run(['apply', '-auto-approve', '--json', ...args], how);
    if (outcome.code !== 0)
      throw new Error(`infrastate apply: ${outcome.code}\n${outcome.stdout}\n${outcome.stderr}`);
    return JSON.parse(outcome.stdout);
  }

  /** What plain terraform says of the whole configuration, over the http backend. */
  async plainPlan(
    args: readonly string[] = [],
    files: Record<string, string> = {},
  ): Promise<{ code: number; stdout: string }> {
    const terraform = new TerraformWorkspace({}, { ...this.provider?.env });
    const backend = backendBlock(addressOf(this.backend.url, this.state.group_id), this.backend.key);
    this.write({ 'zz_backend.tf': backend, ...files });
    try {
      const chdir = `-chdir=${this.directory}`;
      await terraform.run([chdir, 'init', '-input=false', '-no-color']);
      const { code, stdout, stderr } = await terraform.try([
        chdir,
        'plan',
        '-input=false',
        '-no-color',
        '-detailed-exitcode',
        ...args,
      ]);
      return { code, stdout: stdout + stderr };
    } finally {
      this.write({
        'zz_backend.tf': null,
        ...Object.fromEntries(Object.keys(files).map((name) => [name, null])),
      });
      rmSync(join(this.directory, '.terraform'), { recursive: true, force: true });
      terraform.remove();
    }
  }

  /** Instance addresses of the state, sorted. */
  async addresses(): Promise<string[]> {
    const answer = await this.backend.api('GET', `/states/${this.state.id}/instances?limit=1000`);
    return (answer.json() as { results: { address: string }[] }).results.map(({ address }) => address).sort();
  }

  // oxlint-disable-next-line typescript/no-explicit-any -- JSON that only an assertion knows the shape of
  async document(): Promise<any> {
    return (await this.backend.api('GET', `/states/${this.state.id}/export`)).json();
  }

  remove(): void {
    rmSync(this.directory, { recursive: true, force: true });
    rmSync(this.scratch, { recursive: true, force: true });
    rmSync(this.cache, { recursive: true, force: true });
  }
}

export function ended(child: ChildProcess, input = ''): Promise<RunOutcome> {
  const outcome: RunOutcome = { code: null, stdout: '', stderr: '' };
  child.stdout?.setEncoding('utf8').on('data', (part: string) => (outcome.stdout += part));
  child.stderr?.setEncoding('utf8').on('data', (part: string) => (outcome.stderr += part));
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(input);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ ...outcome, code }));
  });
}
