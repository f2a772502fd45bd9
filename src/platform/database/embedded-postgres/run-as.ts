import { statSync } from 'node:fs';
import { dirname } from 'node:path';

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
