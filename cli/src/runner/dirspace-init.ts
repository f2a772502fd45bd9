import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { Failure } from '../failure.js';
import type { DirspaceEngine } from './dirspace-engine.js';
import { lockedProviders } from './locked-providers.rules.js';
import type { WorkDirspace } from './protocol.js';
import { requireHttpBackend } from './service-states.js';

/** `init` of all dirspaces share the plugin cache, which only one at a time may write. */
let initializing: Promise<unknown> = Promise.resolve();

const INIT = ['init', '-input=false', '-no-color'];
const LOCK_FILE = '.terraform.lock.hcl';
/** An `env` step may set them. */
const ARGUMENTS = ['TF_CLI_ARGS', 'TF_CLI_ARGS_init'];
const PLACES = ['TF_CLI_CONFIG_FILE', 'TERRAFORM_CONFIG', 'TF_PLUGIN_CACHE_DIR'];

export interface InitResult {
  success: boolean;
  text: string;
}

/** The step `init` of a dirspace. */
export class DirspaceInit {
  constructor(
    private readonly engine: DirspaceEngine,
    private readonly dirspace: WorkDirspace,
    private readonly dataDirectory: string,
    /** changed by `env` hooks */
    private readonly environment: Readonly<Record<string, string>>,
  ) {}

  async run(cwd: string, extra: readonly string[]): Promise<InitResult> {
    const { state, mode, workspace } = this.dirspace;
    const isDelta = mode === 'delta';
    const outcome = await this.inTurn(cwd, [...INIT, ...(isDelta ? ['-backend=false'] : []), ...extra]);
    let { code, text } = outcome;
    if (code === 0 && state && !isDelta) requireHttpBackend(this.dataDirectory);
    // The workspace of a state of this service stands in its address.
    if (code === 0 && !state && workspace !== 'default') {
      const selected = await this.selectWorkspace(cwd, workspace);
      ({ code } = selected);
      text += selected.text;
    }
    return { success: code === 0, text };
  }

  /**
   * Installs exactly the providers that a plan was made with, whatever else the configuration needs: reading a large one
   * takes Terraform longer than applying a small plan. With arguments or settings that may name files beside the
   * configuration, and with providers in `terraform.d`, the whole of it is read, where it was read for the plan.
   */
  async installLocked(cwd: string, lock: string | null, extra: readonly string[]): Promise<InitResult> {
    const args = extra.filter((arg) => !/^--?upgrade\b/.test(arg));
    if (args.length > 0 || this.dependsOnPlace || existsSync(join(cwd, 'terraform.d'))) {
      if (lock !== null) writeFileSync(join(cwd, LOCK_FILE), lock);
      return this.run(cwd, args);
    }
    if (lock === null) return { success: true, text: 'The plan needs no providers to be installed.\n' };
    const place = `${this.dataDirectory}-providers`;
    mkdirSync(place, { mode: 0o700 });
    writeFileSync(join(place, 'providers.tf.json'), JSON.stringify(lockedProviders(lock)));
    for (const directory of [place, cwd]) writeFileSync(join(directory, LOCK_FILE), lock);
    const { code, text } = await this.inTurn(place, [...INIT, '-backend=false']);
    return { success: code === 0, text };
  }

  /** Whether variables add arguments, or name files from the directory on. */
  private get dependsOnPlace(): boolean {
    return (
      ARGUMENTS.some((name) => this.environment[name]) ||
      PLACES.some((name) => this.environment[name] && !isAbsolute(this.environment[name]))
    );
  }

  private inTurn(cwd: string, args: readonly string[]) {
    const turn = this.engine.waitFor(initializing).then(() => this.engine.run(cwd, args));
    // A run that was stopped while it waited does not end the turn of the one before.
    initializing = Promise.allSettled([initializing, turn]);
    return turn;
  }

  private selectWorkspace(cwd: string, workspace: string) {
    if (workspace.startsWith('-'))
      throw new Failure('WORKSPACE_REFUSED', 'the name of a workspace must not begin with a dash');
    return this.engine.run(cwd, ['workspace', 'select', '-no-color', '-or-create', workspace]);
  }
}
