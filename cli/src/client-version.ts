import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Version of this client, from its package. */
export function clientVersion(): string {
  const text = readFileSync(join(__dirname, '..', 'package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
