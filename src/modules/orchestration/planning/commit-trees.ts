import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { CodeHosts, type HostPlace, type HostTree } from '../../vcs/index.js';

/** Some 20 MB at most. */
const MAX_ENTRIES = 100_000;
const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** Trees of commits. A commit never changes, so what was read of one is kept; the newest ones stay in memory. */
@Injectable()
export class CommitTrees {
  private readonly known = new LRUCache<string, HostTree>({
    maxSize: MAX_ENTRIES,
    sizeCalculation: ({ entries }) => entries.length + 1,
  });

  constructor(private readonly hosts: CodeHosts) {}

  async read(place: HostPlace, sha: string): Promise<HostTree | undefined> {
    const key = `${place.installation.id} ${place.repository.providerId} ${sha}`;
    const known = this.known.get(key);
    if (known) return known;
    const tree = await this.hosts.of(place.installation.provider).readTree(place, sha);
    if (tree && !tree.isTruncated && COMMIT.test(sha)) this.known.set(key, tree);
    return tree;
  }
}
