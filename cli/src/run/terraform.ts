import { spawn } from 'node:child_process';
import { cpSync, existsSync, lstatSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { Failure } from '../failure.js';
import { childEnvironment } from './child-environment.rules.js';
import type { Interruption } from './interruption.js';

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
}

const NEEDS_INIT = /\b(?:terraform|tofu) init\b/;

/** The real terraform or tofu. Secrets reach it through its environment and files only it can read. */
export class Terraform {
  private readonly binary: string;
  private readonly environment: Record<string, string>;

  constructor(private readonly options: TerraformOptions) {
    this.binary = binaryOf(options.environment);
    this.environment = childEnvironment(options.environment, options.privateValues);
    this.useProvidersOf(options.home);
  }

  /** 0 without changes, 2 with changes, 1 when it failed; installs providers when it says they are missing. */
  async plan(args: readonly string[]): Promise<Outcome> {
    const line = ['plan', '-input=false', '-no-color', '-detailed-exitcode', '-out=tfplan', ...args];
    const first = await this.run(line, true);
    if (first.code !== 1 || !NEEDS_INIT.test(first.stderr)) return this.shown(first);
    await this.init();
    return this.shown(await this.run(line, true));
  }

  async showPlan(): Promise<string> {
    const outcome = await this.run(['show', '-json', 'tfplan'], false);
    if (outcome.code !== 0)
      throw new Failure('TERRAFORM_FAILED', `the plan cannot be shown: ${outcome.stderr.trim()}`);
    return outcome.stdout.trim();
  }

  async apply(args: readonly string[]): Promise<Outcome> {
    return this.shown(await this.run(['apply', '-input=false', '-no-color', ...args, 'tfplan'], true));
  }

  private async init(): Promise<void> {
    const providers = join(this.options.root, '.terraform', 'providers');
    // Nothing is installed into the user's directory.
    if (existsSync(providers) && lstatSync(providers).isSymbolicLink()) rmSync(providers);
    const outcome = await this.run(
      ['init', '-input=false', '-no-color', '-backend=false', '-get=false'],
      true,
    );
    this.shown(outcome);
    if (outcome.code !== 0) throw new Failure('TERRAFORM_FAILED', 'the providers could not be installed');
  }

  private shown(outcome: Outcome): Outcome {
    this.options.show(outcome.stderr);
    return outcome;
  }

  /** In a process group of its own: a Ctrl-C of the terminal reaches it once, through us. */
  private run(args: readonly string[], isShown: boolean): Promise<Outcome> {
    const { root, show, interruption } = this.options;
    interruption.throwIfInterrupted();
    return new Promise((resolve, reject) => {
      const child = spawn(this.binary, args, {
        cwd: root,
        env: this.environment,
        stdio: ['ignore', 'pipe', 'pipe'],
        detached: true,
      });
      const outcome: Outcome = { code: 1, stdout: '', stderr: '' };
      const text = new ShownText(isShown ? show : () => undefined);
      child.stdout.setEncoding('utf8').on('data', (part: string) => {
        outcome.stdout += part;
        text.add(part);
      });
      child.stderr.setEncoding('utf8').on('data', (part: string) => (outcome.stderr += part));
      child.once('error', (error) =>
        reject(new Failure('TERRAFORM_MISSING', `${this.binary} cannot be run: ${error.message}`)),
      );
      void interruption.dealtWithBy(
        () => void child.kill('SIGINT'),
        () =>
          new Promise<void>((ended) => {
            child.once('close', (code) => {
              text.end();
              resolve({ ...outcome, code: code ?? 1 });
              ended();
            });
          }),
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

/** What it says about the file of its plan would mislead: ours is another one. */
class ShownText {
  private rest = '';
  private isOver = false;

  constructor(private readonly show: (text: string) => void) {}

  add(part: string): void {
    const lines = (this.rest + part).split('\n');
    this.rest = lines.pop() ?? '';
    for (const line of lines) this.line(`${line}\n`);
  }

  end(): void {
    if (this.rest !== '') this.line(this.rest);
    this.rest = '';
  }

  private line(text: string): void {
    if (/^\u2500{10,}\s*$/.test(text) || text.startsWith('Saved the plan to:')) this.isOver = true;
    if (!this.isOver) this.show(text);
  }
}

/** The plan as a person reads it, without how to apply it. */
export function planText(stdout: string): string {
  return (stdout.split(/^(?:\u2500{10,}|Saved the plan to:)/m)[0] ?? '').trim();
}

function binaryOf(environment: Readonly<Record<string, string | undefined>>): string {
  const named = environment['INFRASTATE_TERRAFORM'];
  if (named) return named;
  const found = ['terraform', 'tofu'].find((name) => isOnPath(name, environment['PATH'] ?? ''));
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
