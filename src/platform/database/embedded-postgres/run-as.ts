import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { EmbeddedPostgresError } from './embedded-postgres-error.js';

/** `nobody`: PostgreSQL refuses to run as root, and this user exists without being created. */
const NOBODY = 65_534;

/** Identity the server's processes get: root drops to nobody, anybody else stays as is. */
export function serverIdentity(): { uid: number; gid: number } | undefined {
  return process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : undefined;
}

/** The outermost directory from `path` upwards that user `uid` may not pass through, if any. */
export function blockedDirectory(path: string, uid: number): string | undefined {
  const parent = dirname(path);
  const above = parent === path ? undefined : blockedDirectory(parent, uid);
  if (above !== undefined) return above;
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat?.isDirectory()) return undefined;
  const mayPass = stat.uid === uid ? (stat.mode & 0o100) !== 0 : (stat.mode & 0o001) !== 0;
  return mayPass ? undefined : path;
}

/** Where root's data goes when the server's user may not enter the directory of the checkout, such as one below /root. */
const SHARED_DATA = '/var/lib/infrastructure-state-service';

/** `wanted`, or a directory of its own that the server's user may enter. For a directory that nobody asked for by name. */
export function reachableDirectory(wanted: string): string {
  const identity = serverIdentity();
  if (!identity || blockedDirectory(wanted, identity.uid) === undefined) return wanted;
  return join(SHARED_DATA, createHash('sha256').update(wanted).digest('hex').slice(0, 12));
}

/** PostgreSQL's tools look their user up by name, and containers may run as a number that has none. */
export function requireNamedUser(): void {
  try {
    userInfo();
  } catch {
    throw new EmbeddedPostgresError(
      `the embedded PostgreSQL needs a user with a name, and user ${process.getuid?.()} has none; add it to /etc/passwd, or use a PostgreSQL of your own (README.md, Production)`,
    );
  }
}
