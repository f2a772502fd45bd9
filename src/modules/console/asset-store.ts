import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
};

export interface Asset {
  type: string;
  identity: Buffer;
  br?: Buffer;
  gzip?: Buffer;
}

/** Every asset of the built console by its file name, held in memory: about 5 MB. */
export function loadAssets(folder: string): ReadonlyMap<string, Asset> {
  const assets = new Map<string, Asset>();
  for (const name of readdirSync(folder)) {
    const type = TYPES[extname(name)];
    if (type === undefined) continue;
    const path = join(folder, name);
    assets.set(name, {
      type,
      identity: readFileSync(path),
      ...optional('br', `${path}.br`),
      ...optional('gzip', `${path}.gz`),
    });
  }
  return assets;
}

function optional<K extends 'br' | 'gzip'>(key: K, path: string): Partial<Record<K, Buffer>> {
  try {
    return { [key]: readFileSync(path) } as Partial<Record<K, Buffer>>;
  } catch (error) {
    // A file that does not get smaller has no compressed form.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
}
