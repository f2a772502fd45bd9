import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatEncryptionKeys, parseEncryptionKeys } from '../platform/crypto/index.js';
import { StartError } from './lifecycle.js';

const FILE = 'encryption-keys';

/**
 * `SERVICE_ENCRYPTION_KEYS` for `npm start`: the keys of the environment, then those of a file in the data folder that
 * only its owner can read. The file is created on the first start without keys in the environment.
 */
export function encryptionKeysFor(directory: string, configured: string | undefined): string {
  const path = join(directory, FILE);
  const stored = readKeyFile(path);
  if (configured !== undefined && configured !== '')
    return stored === undefined ? configured : mergeKeys(configured, stored);
  return stored ?? createKeyFile(path);
}

function readKeyFile(path: string): string | undefined {
  try {
    const text = readFileSync(path, 'utf8').trim();
    parseEncryptionKeys(text);
    return text;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new StartError(`the encryption keys in ${path} cannot be used: ${(error as Error).message}`);
  }
}

function createKeyFile(path: string): string {
  const keys = formatEncryptionKeys([
    { id: `local-${randomBytes(3).toString('hex')}`, key: randomBytes(32) },
  ]);
  writeFileSync(path, `${keys}\n`, { mode: 0o600, flag: 'wx' });
  return keys;
}

/** The environment is checked with the other variables; what it does not parse to is reported there. */
function mergeKeys(configured: string, stored: string): string {
  const named = new Set(configured.split(',').map((entry) => entry.trim().split(':', 1)[0]));
  const older = parseEncryptionKeys(stored).filter(({ id }) => !named.has(id));
  return older.length === 0 ? configured : `${configured},${formatEncryptionKeys(older)}`;
}
