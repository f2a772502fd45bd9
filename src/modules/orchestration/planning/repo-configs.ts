import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { DEFAULT_CONFIG, parseRepoConfig, type RepoConfig } from '../../repo-config/index.js';
import { CodeHosts, type HostPlace, type HostTree } from '../../vcs/index.js';

const FILES = ['.infrastate/config.yml', '.infrastate/config.yaml'];
const MAX_CACHED = 500;

/** The configuration of a branch; `file` is undefined where the defaults count. */
export interface BranchConfig {
  file: string | undefined;
  config: RepoConfig;
}

/** Reads configurations of repositories. What was parsed is kept by the blob id of its file. */
@Injectable()
export class RepoConfigs {
  private readonly parsed = new LRUCache<string, RepoConfig>({ max: MAX_CACHED });

  constructor(private readonly hosts: CodeHosts) {}

  /** Throws `InvalidRepoConfig`. */
  async read(place: HostPlace, ref: string, tree: HostTree): Promise<BranchConfig> {
    const entry = FILES.flatMap((file) =>
      tree.entries.filter(({ path, type }) => path === file && type === 'blob'),
    )[0];
    if (!entry) return { file: undefined, config: DEFAULT_CONFIG };
    const known = this.parsed.get(entry.id);
    if (known) return { file: entry.path, config: known };
    const bytes = await this.hosts.of(place.installation.provider).readFile(place, { path: entry.path, ref });
    const config = parseRepoConfig((bytes ?? Buffer.alloc(0)).toString(), entry.path);
    this.parsed.set(entry.id, config);
    return { file: entry.path, config };
  }
}
