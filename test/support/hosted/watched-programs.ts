import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface WatchedCall {
  program: string;
  args: string[];
  env: Record<string, string>;
  /** files of the temporary directory at that moment, by their path in it */
  files: Map<string, Buffer>;
}

const SAMPLED_EVERY_MS = 40;

/**
 * Stands before programs on the PATH of a client: each call is written down with its arguments, its environment and the
 * files that the client has at that moment, and goes on as the program itself. Beside that, arguments of all processes
 * of the machine are sampled.
 */
export class WatchedPrograms {
  /** what the client is started with */
  readonly env: Record<string, string>;
  private readonly commandLines = new Set<string>();
  private readonly sampling: NodeJS.Timeout;

  constructor(
    private readonly directory: string,
    programs: readonly string[],
  ) {
    const path = process.env['PATH'] ?? '';
    const [bin, calls, temporary, home] = ['bin', 'calls', 'tmp', 'home'].map((name) =>
      join(directory, name),
    ) as [string, string, string, string];
    for (const each of [bin, calls, temporary, home]) mkdirSync(each, { recursive: true });
    for (const program of programs) {
      const real = path
        .split(':')
        .map((each) => join(each, program))
        .find(existsSync);
      const file = join(bin, program);
      writeFileSync(
        file,
        `#!/bin/sh
call=$(mktemp -d '${calls}/XXXXXXXXXX')
cat /proc/$$/cmdline > "$call/cmdline"
cat /proc/$$/environ > "$call/environ"
cp -R '${temporary}' "$call/files" 2> /dev/null
touch "$call/whole"
exec '${real ?? program}' "$@"
`,
      );
      chmodSync(file, 0o755);
    }
    this.env = { PATH: `${bin}:${path}`, TMPDIR: temporary, HOME: home };
    this.sampling = setInterval(() => this.sample(), SAMPLED_EVERY_MS);
  }

  end(): void {
    clearInterval(this.sampling);
  }

  calls(): WatchedCall[] {
    const calls = join(this.directory, 'calls');
    return readdirSync(calls)
      .filter((name) => existsSync(join(calls, name, 'whole')))
      .map((name) => {
        const read = (part: string) =>
          readFileSync(join(calls, name, part), 'utf8')
            .split('\0')
            .slice(0, -1);
        const [, script = '', ...args] = read('cmdline');
        return {
          program: script.split('/').at(-1) ?? '',
          args,
          env: Object.fromEntries(
            read('environ').map((entry) => [
              entry.slice(0, entry.indexOf('=')),
              entry.slice(entry.indexOf('=') + 1),
            ]),
          ),
          files: filesIn(join(calls, name, 'files')),
        };
      });
  }

  /** Arguments of every process that was seen. */
  sampled(): string[] {
    return [...this.commandLines];
  }

  /** What the client has left behind in its temporary directory and its home. */
  left(): Map<string, Buffer> {
    return new Map([...filesIn(join(this.directory, 'tmp')), ...filesIn(join(this.directory, 'home'))]);
  }

  private sample(): void {
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
      try {
        this.commandLines.add(readFileSync(`/proc/${pid}/cmdline`, 'utf8'));
      } catch {
        // It has ended.
      }
  }
}

function filesIn(directory: string): Map<string, Buffer> {
  const found = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return new Map(
    found.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [path.slice(directory.length + 1), readFileSync(path)];
    }),
  );
}
