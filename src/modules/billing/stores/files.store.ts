import { constants } from 'node:fs';
import { open, readdir, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { Readable } from 'node:stream';
import { type BillingStore, MAX_LISTED_OBJECTS, type StoredObject, storeFailures } from './billing-store.js';
import { matchSegment } from './object-pattern.rules.js';

const MAX_DEPTH = 32;

/** Files below a folder. Links are resolved at every listing and opening, and none may lead out of the folder. */
export class FilesStore implements BillingStore {
  private seen = 0;

  /** @param fence folder that every file must really lie in */
  constructor(
    private readonly path: string,
    private readonly fence: string,
  ) {}

  async list(_signal: AbortSignal): Promise<StoredObject[]> {
    this.seen = 0;
    const whole = this.path.endsWith('/') ? `${this.path}**` : this.path;
    const found: StoredObject[] = [];
    await this.walk('/', whole.split('/').slice(1), { found, depth: 0 });
    return found;
  }

  async open(object: StoredObject, _signal: AbortSignal): Promise<Readable> {
    const real = await this.realPathOf(object.name);
    if (real === undefined) throw storeFailures.gone();
    const file = await open(
      real,
      constants.O_RDONLY | constants.O_NONBLOCK | (constants.O_NOFOLLOW ?? 0),
    ).catch(refuse);
    const [opened, named] = await Promise.all([file.stat(), stat(real).catch(refuse)]);
    // The path may have become another file's between the check and the opening.
    const isSame = opened.isFile() && opened.ino === named.ino && opened.dev === named.dev;
    if (!isSame || (await this.realPathOf(object.name)) !== real) {
      await file.close();
      throw storeFailures.gone();
    }
    return file.createReadStream();
  }

  private async walk(
    folder: string,
    [segment, ...rest]: readonly string[],
    into: { found: StoredObject[]; depth: number },
  ): Promise<void> {
    if (segment === undefined || into.depth > MAX_DEPTH) return;
    const deeper = { found: into.found, depth: into.depth + 1 };
    if (!segment.includes('*')) return this.visit(join(folder, segment), rest, deeper);
    if ((await this.realPathOf(folder)) === undefined) return;
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      if (++this.seen > MAX_LISTED_OBJECTS) throw storeFailures.tooMany();
      const path = join(folder, entry.name);
      if (segment !== '**') {
        if (matchSegment(segment, entry.name)) await this.visit(path, rest, deeper);
      } else if (entry.isDirectory()) await this.walk(path, ['**', ...rest], deeper);
      else if (rest.length === 0) await this.visit(path, [], deeper);
    }
    if (segment === '**' && rest.length > 0) await this.walk(folder, rest, into);
  }

  private async visit(
    path: string,
    rest: readonly string[],
    into: { found: StoredObject[]; depth: number },
  ): Promise<void> {
    if (rest.length > 0) return this.walk(path, rest, into);
    if ((await this.realPathOf(path)) === undefined) return;
    const file = await stat(path).catch(() => undefined);
    if (file?.isFile() && !into.found.some(({ name }) => name === path))
      into.found.push({ name: path, size: file.size, modifiedAt: file.mtimeMs });
  }

  /** Undefined when there is no such file, or when it really lies outside of the fence. */
  private async realPathOf(path: string): Promise<string | undefined> {
    const [fence, real] = await Promise.all([
      realpath(this.fence).catch(() => undefined),
      realpath(path).catch(() => undefined),
    ]);
    if (fence === undefined || real === undefined) return undefined;
    return real === fence || real.startsWith(fence + sep) ? real : undefined;
  }
}

function refuse(): never {
  throw storeFailures.gone();
}
