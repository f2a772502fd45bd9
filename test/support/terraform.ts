import { spawn, spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

/** A directory with a configuration in which the real client runs, without network and without a user's settings. */
export class TerraformWorkspace {
  readonly directory = mkdtempSync(join(tmpdir(), 'terraform-test-'));
  private readonly env: Record<string, string>;

  constructor(files: Record<string, string> = {}, env: Record<string, string> = {}) {
    this.write({ ...files, 'terraform.rc': 'disable_checkpoint = true\n' });
    this.env = {
      PATH: process.env['PATH'] ?? '',
      HOME: this.directory,
      TF_CLI_CONFIG_FILE: join(this.directory, 'terraform.rc'),
      CHECKPOINT_DISABLE: '1',
      TF_IN_AUTOMATION: '1',
      TF_INPUT: '0',
      ...env,
    };
  }

  /** Creates or replaces files, relative to the directory. */
  write(files: Record<string, string>): void {
    for (const [name, text] of Object.entries(files)) {
      const path = join(this.directory, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    }
  }

  /** Runs to the end, whatever the exit code. */
  try(args: string[], options: { env?: Record<string, string>; input?: string } = {}): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      const child = spawn('terraform', args, { cwd: this.directory, env: { ...this.env, ...options.env } });
      const outcome: Outcome = { code: -1, stdout: '', stderr: '' };
      child.stdout.setEncoding('utf8').on('data', (part: string) => (outcome.stdout += part));
      child.stderr.setEncoding('utf8').on('data', (part: string) => (outcome.stderr += part));
      child.once('error', reject);
      child.once('close', (code) => resolve({ ...outcome, code: code ?? -1 }));
      child.stdin.end(options.input ?? '');
    });
  }

  /** Runs and expects success; what the client says is in the error otherwise. */
  async run(args: string[], options: { env?: Record<string, string>; input?: string } = {}): Promise<string> {
    const outcome = await this.try(args, options);
    if (outcome.code !== 0) {
      throw new Error(
        `terraform ${args.join(' ')} exited ${outcome.code}\n${outcome.stdout}\n${outcome.stderr}`,
      );
    }
    return outcome.stdout;
  }

  remove(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }
}

export function isAvailable(binary: string): boolean {
  return !spawnSync(binary, ['--version'], { stdio: 'ignore' }).error;
}

export function terraformAvailable(): boolean {
  return isAvailable('terraform');
}

type Binary = 'terraform' | 'tofu' | 'redis-server' | 'nginx' | 'chromium' | 'jq' | 'python3';

/** `describe` for suites that need a binary; without it they are skipped, and `npm test` says so in capitals at its end. */
export function describeWith(binary: Binary, title: string, suite: () => void): void {
  if (isAvailable(binary)) {
    describe(title, suite);
    return;
  }
  reportSkip(`${binary} is not on the PATH`, title);
  describe.skip(title, suite);
}

/** `it` for one test that needs something; without it the test is skipped as loudly as a suite without its binary. */
export function itWith(
  need: { isMet: boolean; else: string },
  title: string,
  test: () => Promise<void>,
): void {
  if (need.isMet) {
    it(title, test);
    return;
  }
  reportSkip(need.else, title);
  it.skip(title, test);
}

function reportSkip(reason: string, title: string): void {
  const report = process.env['TEST_SKIP_REPORT'];
  if (report) appendFileSync(report, `SKIPPED, ${reason}: ${title}\n`);
}
