import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** 4.8: clients name the schema version they write; it changes when a transaction's payloads do. */
export const STATE_SCHEMA_VERSION = 1;

let version: string | undefined;

/** The package's version. */
export function serverVersion(): string {
  version ??= (
    JSON.parse(readFileSync(join(__dirname, '..', '..', '..', 'package.json'), 'utf8')) as { version: string }
  ).version;
  return version;
}
