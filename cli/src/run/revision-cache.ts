import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '../configuration/canonical-json.js';
import { cacheDirectory } from './cache-directory.js';

export interface NodeHash {
  key: string;
  hash: string;
}

/** Configurations of a state that are remembered. */
const KEPT = 4;

/**
 * Names and hashes of configurations that were planned here, by the hash over them. The service tells that hash of what
 * it stores: when it is known here, what differs is known without sending thousands of hashes. Without it all still works.
 */
export class RevisionCache {
  private readonly directory: string;

  constructor(env: Readonly<Record<string, string | undefined>>, stateId: string) {
    this.directory = cacheDirectory(env, 'revision-lists', stateId);
  }

  /** Hash by name; undefined when it is not known, or not what it should be. */
  read(hash: string): Map<string, string> | undefined {
    try {
      const content = readFileSync(this.file(hash), 'utf8');
      const [digest = ''] = content.split('\n', 1);
      const text = content.slice(digest.length + 1);
      // Under another name, or cut off by a full disk, it says nothing.
      if (digest !== sha256(hash + text)) return undefined;
      const values = JSON.parse(text) as unknown;
      if (!Array.isArray(values)) return undefined;
      const known = new Map<string, string>();
      for (let at = 0; at + 1 < values.length; at += 2) known.set(String(values[at]), String(values[at + 1]));
      return known;
    } catch {
      return undefined;
    }
  }

  write(hash: string, nodes: readonly NodeHash[]): void {
    try {
      mkdirSync(this.directory, { recursive: true, mode: 0o700 });
      const draft = `${this.file(hash)}.${process.pid}`;
      // One list of names and hashes is read far quicker than an object.
      const text = JSON.stringify(nodes.flatMap(({ key, hash: value }) => [key, value]));
      writeFileSync(draft, `${sha256(hash + text)}\n${text}`, { mode: 0o600 });
      renameSync(draft, this.file(hash));
      this.forgetOld();
    } catch {
      // A home that cannot be written to costs speed only.
    }
  }

  private forgetOld(): void {
    const files = readdirSync(this.directory).map((name) => join(this.directory, name));
    const byAge = files.map((file) => ({ file, age: statSync(file).mtimeMs })).sort((a, b) => b.age - a.age);
    for (const { file } of byAge.slice(KEPT)) rmSync(file, { force: true });
  }

  private file(hash: string): string {
    return join(this.directory, `${hash.replace(/[^0-9a-f]/g, '')}.json`);
  }
}
