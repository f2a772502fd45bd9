import { spawn } from 'node:child_process';
import { cpSync, existsSync, lstatSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { basename, delimiter, join, resolve } from 'node:path';
import { Failure } from '../failure.js';
import { childEnvironment } from './child-environment.rules.js';
import { FollowedFile } from './followed-file.js';
import type { Interruption } from './interruption.js';
import { ProcessGroup } from './process-group.js';
import { ShownText } from './shown-text.js';

export interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

export interface TerraformOptions {
  /** where it runs */
  root: string;
  /** the user's directory, whose installed providers are used */
  home: string;
  environment: Readonly<Record<string, string | undefined>>;
  /** values of variables that are never stored */
  privateValues: ReadonlyMap<string, unknown>;
  /** shows what it says */
  show: (text: string) => void;
  interruption: Interruption;
  /** time from an interruption to SIGKILL; undefined waits until it ends by itself */
  killAfterMs?: number | undefined;
}

const FOLLOWED_EVERY_MS = 25;
const NEEDS_INIT = /\b(?:terraform|tofu) init\b/;

/** The real terraform or tofu. Secrets reach it through its environment and files only it can read. */
export class Terraform {
  private readonly binary: string;
  private readonly environment: Record<string, string>;

  constructor(
    private readonly options: TerraformOptions,
    /** a directory beside the root, for what it says */
    private readonly base: string,
  ) {
    this.binary = binaryOf(options.environment);
    this.environment = childEnvironment(options.environment, options.privateValues);
    this.useProvidersOf(options.home);
  }

  /** 0 without changes, 2 with changes, 1 when it failed; installs providers when it says they are missing. */
  async plan(args: readonly string[]): Promise<Outcome> {
    const line = ['plan', '-input=false', '-no-color', '-detailed-exitcode', '-out=tfplan', ...args];
    const first = await this.run(line, { isShown: true });
    if (first.code !== 1 || !NEEDS_INIT.test(first.stderr)) return this.shown(first);
    await this.init();
    return this.shown(await this.run(line, { isShown: true }));
  }

  async showPlan(): Promise<string> {
    const outcome = await this.run(['show', '-json', 'tfplan'], { isShown: false });
    if (outcome.code !== 0)
      throw new Failure('TERRAFORM_FAILED', `the plan cannot be shown: ${outcome.stderr.trim()}`);
    return outcome.stdout.trim();
  }

  /** `started` is told its process id. */
  async apply(args: readonly string[], started: (pid: number) => void): Promise<Outcome> {
    return this.shown(
      await this.run(['apply', '-input=false', '-no-color', ...args, 'tfplan'], { isShown: true, started }),
    );
  }

  private async init(): Promise<void> {
    const providers = join(this.options.root, '.terraform', 'providers');
    // Nothing is installed into the user's directory.
    if (existsSync(providers) && lstatSync(providers).isSymbolicLink()) rmSync(providers);
    const outcome = await this.run(['init', '-input=false', '-no-color', '-backend=false', '-get=false'], {
      isShown: true,
    });
    this.shown(outcome);
    if (outcome.code !== 0) throw new Failure('TERRAFORM_FAILED', 'the providers could not be installed');
  }

  private shown(outcome: Outcome): Outcome {
    this.options.show(outcome.stderr);
    return outcome;
  }

  /**
   * In a process group of its own: a Ctrl-C of the terminal reaches it once, through us. What it says goes to files: if
   * we are killed, it goes on to its end and leaves a state that can be found again.
   */
  private run(
    args: readonly string[],
    { isShown, started }: { isShown: boolean; started?: (pid: number) => void },
  ): Promise<Outcome> {
    const { root, show, interruption, killAfterMs } = this.options;
    interruption.throwIfInterrupted();
    const said = {
      stdout: new FollowedFile(this.base, 'stdout'),
      stderr: new FollowedFile(this.base, 'stderr'),
    };
    return new Promise((resolve, reject) => {
      const child = spawn(this.binary, args, {
        cwd: root,
        env: this.environment,
        stdio: ['ignore', said.stdout.descriptor, said.stderr.descriptor],
        detached: true,
      });
      if (child.pid !== undefined) started?.(child.pid);
      const group = new ProcessGroup(child.pid);
      const text = new ShownText(isShown ? show : () => undefined);
      const following = setInterval(() => text.add(said.stdout.next()), FOLLOWED_EVERY_MS);
      const ended = (): Outcome => {
        clearInterval(following);
        group.forget();
        text.add(said.stdout.next());
        text.end();
        said.stderr.next();
        return { code: child.exitCode ?? 1, stdout: said.stdout.end(), stderr: said.stderr.end() };
      };
      const end = new Promise<void>((isOver) => {
        child.once('exit', () => {
          resolve(ended());
          isOver();
        });
        child.once('error', (error) => {
          ended();
          reject(new Failure('TERRAFORM_MISSING', `${this.binary} cannot be run: ${error.message}`));
          isOver();
        });
      });
      void interruption.dealtWithBy(
        () => group.stop(killAfterMs),
        () => end,
      );
    });
  }

  private useProvidersOf(home: string): void {
    const { root, environment } = this.options;
    const own = resolve(home, environment['TF_DATA_DIR'] || '.terraform', 'providers');
    const target = join(root, '.terraform', 'providers');
    mkdirSync(join(root, '.terraform'), { recursive: true });
    if (existsSync(own) && !existsSync(target)) symlinkSync(own, target);
    const lock = join(home, '.terraform.lock.hcl');
    if (existsSync(lock)) cpSync(lock, join(root, '.terraform.lock.hcl'));
  }
}

/** The plan as a person reads it, without how to apply it. */
export function planText(stdout: string): string {
  return (stdout.split(/^(?:\u2500{10,}|Saved the plan to:)/m)[0] ?? '').trim();
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Whether it is OpenTofu that runs, which reads files that Terraform does not. */
export function usesTofu(environment: Environment): boolean {
  return basename(findBinary(environment) ?? '').startsWith('tofu');
}

function findBinary(environment: Environment): string | undefined {
  const named = environment['INFRASTATE_TERRAFORM'];
  return named || ['terraform', 'tofu'].find((name) => isOnPath(name, environment['PATH'] ?? ''));
}

function binaryOf(environment: Environment): string {
  const found = findBinary(environment);
  if (!found)
    throw new Failure(
      'TERRAFORM_MISSING',
      'neither terraform nor tofu is on the PATH',
      'INFRASTATE_TERRAFORM names one',
    );
  return found;
}

function isOnPath(name: string, path: string): boolean {
  return path.split(delimiter).some((directory) => directory !== '' && existsSync(join(directory, name)));
}
