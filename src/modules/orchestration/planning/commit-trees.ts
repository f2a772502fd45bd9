import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { CodeHosts, type HostPlace, type HostTree } from '../../vcs/index.js';

/** Some 20 MB at most. */
const MAX_ENTRIES = 100_000;
const MAX_REPOSITORIES = 10_000;
const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** Trees of commits. A commit never changes, so what was read of one is kept; the newest ones stay in memory. */
@Injectable()
export class CommitTrees {
  private readonly known = new LRUCache<string, HostTree>({
    maxSize: MAX_ENTRIES,
    sizeCalculation: ({ entries }) => entries.length + 1,
  });

  /** By repository: the commit that was read last. */
  private readonly last = new LRUCache<string, string>({ max: MAX_REPOSITORIES });
  /** By repository: the read under way. */
  private readonly reading = new Map<string, Promise<unknown>>();

  constructor(private readonly hosts: CodeHosts) {}

  /** One after the other for each repository: the next one may need only what differs from the one before. */
  async read(place: HostPlace, sha: string): Promise<HostTree | undefined> {
    const repository = `${place.installation.id} ${place.repository.providerId}`;
    const known = this.known.get(`${repository} ${sha}`);
    if (known) return known;
    const before = this.reading.get(repository) ?? Promise.resolve();
    const reading = before.catch(() => undefined).then(() => this.readFrom(place, repository, sha));
    this.reading.set(repository, reading);
    try {
      return await reading;
    } finally {
      if (this.reading.get(repository) === reading) this.reading.delete(repository);
    }
  }

  private async readFrom(place: HostPlace, repository: string, sha: string): Promise<HostTree | undefined> {
    const known = this.known.get(`${repository} ${sha}`);
    if (known) return known;
    const isCommit = COMMIT.test(sha);
    const last = isCommit ? this.last.get(repository) : undefined;
    const lastTree = last === undefined ? undefined : this.known.get(`${repository} ${last}`);
    const near = last !== undefined && lastTree ? { sha: last, tree: lastTree } : undefined;
    const tree = await this.hosts.of(place.installation.provider).readTree(place, sha, near);
    if (!tree || tree.isTruncated || !isCommit) return tree;
    this.known.set(`${repository} ${sha}`, tree);
    this.last.set(repository, sha);
    return tree;
  }
}
