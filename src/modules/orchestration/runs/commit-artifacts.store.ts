import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { storableText } from '../../../platform/database/storable-text.js';
import { Clock } from '../../../platform/time/clock.js';
import { type ArtifactKind, CommitArtifactEntity } from '../entities/commit-artifact.entity.js';

/** Table `commit_artifacts`. */
@Injectable()
export class CommitArtifacts {
  constructor(
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  async find(repositoryId: string, sha: string, kind: ArtifactKind): Promise<string | undefined> {
    const found = await this.work.manager.findOneBy(CommitArtifactEntity, { repositoryId, sha, kind });
    return found?.content;
  }

  /** The one of the commit, else the newest of the repository. */
  async findNear(repositoryId: string, sha: string, kind: ArtifactKind): Promise<string | undefined> {
    const own = await this.find(repositoryId, sha, kind);
    if (own !== undefined) return own;
    const [newest] = await this.work.manager.find(CommitArtifactEntity, {
      where: { repositoryId, kind },
      order: { createdAt: 'DESC' },
      take: 1,
    });
    return newest?.content;
  }

  /** The commit of the newest run about a default branch, begun since, that found something out. */
  async findOfBranch(
    { repositoryId, branch, kind }: { repositoryId: string; branch: string; kind: ArtifactKind },
    since: Date,
  ): Promise<{ sha: string; createdAt: Date } | undefined> {
    const [found] = await this.work.query<{ sha: string; createdAt: Date }>(
      `SELECT m.branch_ref AS sha, m.created_at AS "createdAt" FROM work_manifests m
         JOIN commit_artifacts a ON a.repository_id = m.repository_id AND a.sha = m.branch_ref AND a.kind = m.run_type
        WHERE m.repository_id = $1 AND m.pull_number IS NULL AND m.branch = $2 AND m.run_type = $3
          AND m.state = 'completed' AND m.created_at >= $4
        ORDER BY m.created_at DESC, m.id DESC LIMIT 1`,
      [repositoryId, branch, kind, since],
    );
    return found;
  }

  async keep(
    repositoryId: string,
    sha: string,
    artifact: { kind: ArtifactKind; content: string },
  ): Promise<void> {
    await this.work.manager
      .createQueryBuilder()
      .insert()
      .into(CommitArtifactEntity)
      .values({
        repositoryId,
        sha,
        kind: artifact.kind,
        content: storableText(artifact.content),
        createdAt: this.clock.now(),
      })
      .orUpdate(['content', 'created_at'], ['repository_id', 'sha', 'kind'])
      .execute();
  }
}
