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
