import { readFileSync } from 'node:fs';
import { join } from 'node:path';

let version: string | undefined;

/** The package's version. */
export function serverVersion(): string {
  version ??= (
    JSON.parse(readFileSync(join(__dirname, '..', '..', '..', 'package.json'), 'utf8')) as { version: string }
  ).version;
  return version;
}
