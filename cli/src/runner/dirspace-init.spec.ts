import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DirspaceEngine } from './dirspace-engine.js';
import { DirspaceInit } from './dirspace-init.js';
import type { WorkDirspace } from './protocol.js';
import { untilStopped } from './until-stopped.js';

const LOCK = 'provider "registry.terraform.io/hashicorp/aws" {\n  version = "5.1.0"\n}\n';

describe('The providers of a plan', () => {
  let home: string;
  let checkout: string;
  let calls: { cwd: string; args: readonly string[] }[];

  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'dirspace-init-'));
    checkout = join(home, 'checkout');
    mkdirSync(checkout);
    calls = [];
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  function initWith(
    code: number,
    environment: Record<string, string> = {},
    { signal, ends }: { signal?: AbortSignal; ends?: Promise<void> } = {},
  ): DirspaceInit {
    const engine = {
      waitFor: <T>(work: Promise<T>) => untilStopped(work, signal),
      run: async (cwd: string, args: readonly string[]) => {
        calls.push({ cwd, args });
        await ends;
        return { code, text: 'said', stdout: '', stderr: '' };
      },
    } as unknown as DirspaceEngine;
    const dirspace = { mode: 'delta', workspace: 'default', state: {} } as WorkDirspace;
    return new DirspaceInit(engine, dirspace, join(home, 'data'), environment);
  }

  it('are installed from its lock file, without the configuration and without newer versions', async () => {
    const extra = ['-upgrade', '-upgrade=true'];
    const environment = { TF_PLUGIN_CACHE_DIR: '/cache', TF_CLI_CONFIG_FILE: '/terraformrc' };
    expect(await initWith(0, environment).installLocked(checkout, LOCK, extra)).toEqual({
      success: true,
      text: 'said',
    });
    const [{ cwd, args } = { cwd: '', args: [] }] = calls;
    expect(cwd).not.toBe(checkout);
    expect(args).toEqual(['init', '-input=false', '-no-color', '-backend=false']);
    expect(readFileSync(join(cwd, '.terraform.lock.hcl'), 'utf8')).toBe(LOCK);
    expect(JSON.parse(readFileSync(join(cwd, 'providers.tf.json'), 'utf8'))).toMatchObject({
      terraform: { required_providers: { p0: { version: '5.1.0' } } },
    });
    // Terraform compares it with that of the plan file.
    expect(readFileSync(join(checkout, '.terraform.lock.hcl'), 'utf8')).toBe(LOCK);
  });

  it.each<[string, string[], Record<string, string>]>([
    ['arguments', ['-plugin-dir=./plugins'], {}],
    ['arguments of variables', [], { TF_CLI_ARGS_init: '-plugin-dir=./plugins' }],
    ['a relative configuration of Terraform', [], { TF_CLI_CONFIG_FILE: './terraformrc' }],
    ['a relative cache', [], { TF_PLUGIN_CACHE_DIR: 'cache' }],
  ])('are installed in the directory itself with %s, in the same versions', async (_, extra, environment) => {
    const init = initWith(0, environment);
    expect(await init.installLocked(checkout, LOCK, ['-upgrade', ...extra])).toMatchObject({ success: true });
    expect(calls).toEqual([
      { cwd: checkout, args: ['init', '-input=false', '-no-color', '-backend=false', ...extra] },
    ]);
    expect(readFileSync(join(checkout, '.terraform.lock.hcl'), 'utf8')).toBe(LOCK);
  });

  it('are not waited for in a run that is stopped, and the next run waits for its turn', async () => {
    let end = (): void => undefined;
    const ends = new Promise<void>((resolve) => (end = resolve));
    const stopping = new AbortController();
    const slow = initWith(0, {}, { ends }).run(checkout, []);
    const stopped = initWith(0, {}, { signal: stopping.signal }).run(checkout, []);
    const next = initWith(0).run(checkout, []);
    stopping.abort();
    await expect(stopped).rejects.toThrow('the run was interrupted');
    expect(calls).toHaveLength(1);
    end();
    expect([await slow, await next]).toMatchObject([{ success: true }, { success: true }]);
    expect(calls).toHaveLength(2);
  });

  it('fail the step when they cannot be installed', async () => {
    expect(await initWith(1).installLocked(checkout, LOCK, [])).toEqual({ success: false, text: 'said' });
  });

  it('are none without a lock file', async () => {
    expect(await initWith(1).installLocked(checkout, null, [])).toMatchObject({ success: true });
    expect([calls, existsSync(join(checkout, '.terraform.lock.hcl'))]).toEqual([[], false]);
  });
});
