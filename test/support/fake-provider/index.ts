import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** An object that exists in the fake cloud. */
export interface CloudObject {
  id: string;
  type: string;
  attributes: Record<string, unknown>;
}

/** A running fake `hashicorp/aws` provider and what exists in its cloud. */
export class FakeProvider {
  private constructor(
    private readonly directory: string,
    private readonly child: ChildProcess,
    /** for the environment of terraform */
    readonly env: Readonly<Record<string, string>>,
  ) {}

  static async start(): Promise<FakeProvider> {
    const directory = mkdtempSync(join(tmpdir(), 'fake-cloud-'));
    const child = spawn(process.execPath, [join(__dirname, 'provider.mjs'), join(directory, 'objects')], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    let printed = '';
    child.stdout?.setEncoding('utf8').on('data', (part: string) => (printed += part));
    while (!printed.includes('\n')) {
      if (child.exitCode !== null) throw new Error('the fake provider did not start');
      await Promise.race([once(child.stdout ?? child, 'data'), once(child, 'exit')]);
    }
    return new FakeProvider(directory, child, { TF_REATTACH_PROVIDERS: printed.trim() });
  }

  /** Everything that exists now, by id. */
  objects(): CloudObject[] {
    const file = join(this.directory, 'objects');
    const found = new Map<string, CloudObject>();
    for (const line of existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []) {
      if (line === '') continue;
      const object = JSON.parse(line) as CloudObject;
      if (object.attributes) found.set(object.id, object);
      else found.delete(object.id);
    }
    return [...found.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  /** From now on an object whose arguments contain one of the texts cannot be changed. */
  refuse(...texts: string[]): void {
    writeFileSync(join(this.directory, 'objects.fail'), texts.join('\n'));
  }

  async stop(): Promise<void> {
    const ended = once(this.child, 'exit');
    this.child.stdin?.end();
    await ended;
    rmSync(this.directory, { recursive: true, force: true });
  }
}
