import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Interruption } from './interruption.js';
import { Terraform } from './terraform.js';

describe('Terraform that is interrupted', () => {
  let home: string;
  let trigger: AbortController;
  let interruption: Interruption;

  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'terraform-'));
    trigger = new AbortController();
    interruption = new Interruption(trigger.signal);
  });
  afterEach(() => {
    interruption.end();
    rmSync(home, { recursive: true, force: true });
  });

  /** Applies with a shell script that stands for Terraform. */
  function apply(script: string, killAfterMs?: number) {
    const program = join(home, 'engine');
    writeFileSync(program, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    const environment = { PATH: process.env['PATH'], INFRASTATE_TERRAFORM: program };
    const show = (): void => undefined;
    const options = { root: home, home, environment, privateValues: new Map<string, unknown>(), show };
    return new Terraform({ ...options, interruption, killAfterMs }, home).apply([], () => undefined);
  }

  async function until(file: string): Promise<string> {
    for (let n = 0; !existsSync(join(home, file)); n++) {
      if (n > 2000) throw new Error(`${file} did not appear`);
      await delay(20);
    }
    return readFileSync(join(home, file), 'utf8');
  }

  it('gets SIGINT together with what it has started', async () => {
    const outcome = apply(
      `sh -c 'trap "touch stopped; exit 1" INT; touch begun; while :; do sleep 0.05; done'`,
    );
    await until('begun');
    trigger.abort();
    expect((await outcome).code).not.toBe(0);
    await until('stopped');
  });

  it('gets SIGKILL where it does not end in time', async () => {
    const outcome = apply(
      `trap '' INT; echo 'as far as it came'; touch begun; while :; do sleep 0.05; done`,
      50,
    );
    await until('begun');
    trigger.abort();
    expect(await outcome).toMatchObject({ code: 1, stdout: 'as far as it came\n' });
  });

  it('may take as long as it needs where a person waits for it', async () => {
    const outcome = apply(
      `trap 'touch told' INT; touch begun; while [ ! -e go ]; do sleep 0.05; done; echo 'applied whole'`,
    );
    await until('begun');
    trigger.abort();
    await until('told');
    writeFileSync(join(home, 'go'), '');
    expect(await outcome).toMatchObject({ code: 0, stdout: 'applied whole\n' });
  });
});
