import { posix } from 'node:path';
import { TOP_LABELS } from '../configuration/block-data.rules.js';
import type { BundleBlock } from './bundle.js';

/** Where a module is written, relative to the root directory of the run. */
export interface ModulePlace {
  /** `module.net.module.sub` */
  path: string;
  /** where its blocks came from */
  origin: string;
  /** the origin, unless another call of the same directory took it */
  directory: string;
}

/** For directories that are called more than once with different blocks; hidden from everything else. */
const COPIES = '.infrastate/modules';

/** A place for each call path, the callers of modules without blocks of their own included. */
export function modulePlaces(blocks: readonly BundleBlock[]): Map<string, ModulePlace> {
  const origins = new Map<string, string>([['', '']]);
  for (const { module, file, data } of blocks) {
    const directory = posix.dirname(file);
    origins.set(module, directory === '.' ? '' : directory);
    for (const name of Object.keys((data['module'] ?? {}) as object)) {
      const called = module === '' ? `module.${name}` : `${module}.module.${name}`;
      if (!origins.has(called)) origins.set(called, `${COPIES}/none-${origins.size}`);
    }
  }
  const taken = new Set<string>();
  const places = new Map<string, ModulePlace>();
  for (const path of [...origins.keys()].sort()) {
    const origin = origins.get(path) ?? '';
    const directory = taken.has(origin) ? `${COPIES}/${places.size}` : origin;
    taken.add(directory);
    places.set(path, { path, origin, directory });
  }
  return places;
}

/** How many directories lie between the root and the highest one that is reached with `..`. */
export function levelsAbove(paths: readonly string[]): number {
  return Math.max(
    0,
    ...paths.map(
      (path) =>
        posix
          .normalize(path)
          .split('/')
          .filter((part) => part === '..').length,
    ),
  );
}

/** `./modules/net` as seen from the caller's directory. */
export function localSource(caller: string, called: string): string {
  const path = posix.relative(`/${'x/'.repeat(20)}${caller}`, `/${'x/'.repeat(20)}${called}`);
  if (path === '' || path === '..') return `${path || '.'}/`;
  return path.startsWith('..') ? path : `./${path}`;
}

/** Kind, labels and body of a block's data. */
export function unwrapped(data: BundleBlock['data']): {
  kind: string;
  labels: string[];
  body: BundleBlock['data'][string];
} {
  const [[kind, value] = ['', null]] = Object.entries(data);
  const labels: string[] = [];
  let body = value;
  for (let left = TOP_LABELS[kind] ?? 0; left > 0; left--) {
    const [[label, inside] = ['', null]] = Object.entries((body ?? {}) as BundleBlock['data']);
    labels.push(label);
    body = inside;
  }
  return { kind, labels, body };
}
