import { cpSync, existsSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { EmbeddedPostgresError } from './embedded-postgres-error.js';
import { blockedDirectory } from './run-as.js';

export interface Binaries {
  initdb: string;
  postgres: string;
}

/**
 * The PostgreSQL of this platform's npm package. Its libraries' symlinks come from an install script; ours does not run
 * any, so they are made here. When the server's user may not reach the package, it is copied to `fallback` once.
 */
export function findBinaries(fallback: string, serverUid: number | undefined): Binaries {
  const native = nativeFolder();
  const folder =
    serverUid !== undefined && blockedDirectory(native, serverUid) ? copied(native, fallback) : native;
  linkLibraries(folder);
  return { initdb: join(folder, 'bin', 'initdb'), postgres: join(folder, 'bin', 'postgres') };
}

function nativeFolder(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return join(dirname(require.resolve(name)), '..', 'native');
  } catch {
    throw new EmbeddedPostgresError(
      `there is no embedded PostgreSQL for this platform (package ${name}); run node dist/main.js against your own, see README.md`,
    );
  }
}

function copied(native: string, fallback: string): string {
  const version = (
    JSON.parse(readFileSync(join(native, '..', 'package.json'), 'utf8')) as { version: string }
  ).version;
  const folder = join(fallback, `postgres-binaries-${version}`);
  if (existsSync(folder)) return folder;
  const unfinished = `${folder}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  // Links as they are: made absolute they would lead back to where the server's user may not go.
  cpSync(native, unfinished, { recursive: true, verbatimSymlinks: true });
  renameSync(unfinished, folder);
  return folder;
}

/** `pg-symlinks.json` names paths from the package's root: `native/lib/libpq.so.5` → `native/lib/libpq.so.5.18`. */
function linkLibraries(folder: string): void {
  const list = join(folder, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8')) as {
    source: string;
    target: string;
  }[]) {
    const link = join(folder, target.replace(/^native\//, ''));
    try {
      symlinkSync(basename(source), link);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}
