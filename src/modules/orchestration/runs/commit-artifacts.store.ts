import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { storableText } from '../../../platform/database/storable-text.js';
import { Clock } from '../../../platform/time/clock.js';
import {
  type ArtifactKind,
  BuiltConfigurationEntity,
  CommitArtifactEntity,
} from '../entities/commit-artifact.entity.js';

export interface Artifact {
  repositoryId: string;
  sha: string;
  /** of the run */
  baseBranch: string;
  kind: ArtifactKind;
  /** what printed a configuration */
  command?: readonly string[] | undefined;
  content: string;
}

/** A commit of a repository, and what of the base branch decides what counts for it. */
export interface BuiltFor {
  repositoryId: string;
  sha: string;
  baseBranch: string;
  /** undefined: whatever command it was */
  command: readonly string[] | undefined;
}

/** Tables `commit_artifacts` and `built_configurations`. */
@Injectable()
export class CommitArtifacts {
  constructor(
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  async findIndex(repositoryId: string, sha: string): Promise<string | undefined> {
    const found = await this.work.manager.findOneBy(CommitArtifactEntity, {
      repositoryId,
      sha,
      kind: 'index',
    });
    return found?.content;
  }

  /**
   * What a run about a default branch found out: for the commit, else the newest that was begun since. Those of pull
   * requests do not count: nobody may have reviewed what they say.
   */
  async findIndexOfBranch(
    { repositoryId, branch, sha }: { repositoryId: string; branch: string; sha: string },
    since: Date | undefined,
  ): Promise<{ content: string; sha: string; createdAt: Date } | undefined> {
    const [found] = await this.work.query<{ content: string; sha: string; createdAt: Date }>(
      `SELECT a.content, a.sha, m.created_at AS "createdAt" FROM work_manifests m
         JOIN commit_artifacts a ON a.repository_id = m.repository_id AND a.sha = m.branch_ref AND a.kind = m.run_type
        WHERE m.repository_id = $1 AND m.pull_number IS NULL AND m.branch = $2 AND m.run_type = 'index'
          AND m.state = 'completed' AND (m.branch_ref = $3 OR m.created_at >= $4)
        ORDER BY m.branch_ref = $3 DESC, m.created_at DESC, m.id DESC LIMIT 1`,
      [repositoryId, branch, sha, since ?? null],
    );
    return found;
  }

  /**
   * What the command of the base branch printed for a commit. Of what an older release stored, only what cannot be of
   * another base branch: a command that somebody else trusts says nothing here.
   */
  async findBuilt({ repositoryId, sha, baseBranch, command }: BuiltFor): Promise<string | undefined> {
    const builds = await this.work.manager.find(BuiltConfigurationEntity, {
      where: { repositoryId, sha, baseBranch },
      order: { createdAt: 'DESC' },
    });
    const wanted = hashOf(command);
    const own = builds.find(
      ({ commandHash }) => !command || commandHash.length === 0 || commandHash.equals(wanted),
    );
    if (own || builds.length > 0) return own?.content;
    const [older] = await this.work.query<{ content: string }>(
      `SELECT a.content FROM commit_artifacts a
        WHERE a.repository_id = $1 AND a.sha = $2 AND a.kind = 'build-config'
          AND (SELECT bool_and(m.base_branch = $3) FROM work_manifests m
                WHERE m.repository_id = a.repository_id AND m.branch_ref = a.sha AND m.run_type = a.kind)`,
      [repositoryId, sha, baseBranch],
    );
    return older?.content;
  }

  /** The commit of the newest run about a default branch, begun since, that built its configuration. */
  async findBuiltOfBranch(
    { repositoryId, branch }: { repositoryId: string; branch: string },
    since: Date,
  ): Promise<{ sha: string; createdAt: Date } | undefined> {
    const [found] = await this.work.query<{ sha: string; createdAt: Date }>(
      `SELECT m.branch_ref AS sha, m.created_at AS "createdAt" FROM work_manifests m
        WHERE m.repository_id = $1 AND m.pull_number IS NULL AND m.branch = $2 AND m.run_type = 'build-config'
          AND m.state = 'completed' AND m.created_at >= $3
          AND (EXISTS (SELECT FROM built_configurations b
                        WHERE b.repository_id = m.repository_id AND b.sha = m.branch_ref AND b.base_branch = m.base_branch)
            OR EXISTS (SELECT FROM commit_artifacts a
                        WHERE a.repository_id = m.repository_id AND a.sha = m.branch_ref AND a.kind = m.run_type))
        ORDER BY m.created_at DESC, m.id DESC LIMIT 1`,
      [repositoryId, branch, since],
    );
    return found;
  }

  /** A configuration is also stored where replicas of the release before look for it. */
  async keep({ repositoryId, sha, baseBranch, kind, command, content: text }: Artifact): Promise<void> {
    const content = storableText(text);
    const createdAt = this.clock.now();
    await this.work.run(async () => {
      await this.work.manager
        .createQueryBuilder()
        .insert()
        .into(CommitArtifactEntity)
        .values({ repositoryId, sha, kind, content, createdAt })
        .orUpdate(['content', 'created_at'], ['repository_id', 'sha', 'kind'])
        .execute();
      if (kind === 'build-config')
        await this.work.manager
          .createQueryBuilder()
          .insert()
          .into(BuiltConfigurationEntity)
          .values({ repositoryId, sha, baseBranch, commandHash: hashOf(command), content, createdAt })
          .orUpdate(['content', 'created_at'], ['repository_id', 'sha', 'base_branch', 'command_hash'])
          .execute();
    });
  }
}

function hashOf(command: readonly string[] | undefined): Buffer {
  return command ? createHash('sha256').update(JSON.stringify(command)).digest() : Buffer.alloc(0);
}
