import { Injectable } from '@nestjs/common';
import { InvalidRepoConfig, parseRepoConfig, parseRepositoryIndex } from '../../repo-config/index.js';
import type { HostPlace, RepositoryEntity } from '../../vcs/index.js';
import type { ArtifactKind } from '../entities/commit-artifact.entity.js';
import type { WorkManifestEntity } from '../entities/work-manifest.entity.js';
import { CommitArtifacts } from '../runs/commit-artifacts.store.js';
import { BUILT_FILE } from '../planning/repo-configs.js';
import { MistakeComments } from './mistake-comments.js';
import { RunComments } from './run-comments.js';

/** Takes what runs of type `index` and `build-config` found out from what they reported. */
@Injectable()
export class ArtifactRuns {
  constructor(
    private readonly artifacts: CommitArtifacts,
    private readonly comments: RunComments,
    private readonly mistakes: MistakeComments,
  ) {}

  /** False when a run of such a type found nothing out; true for every other run. */
  async keep(place: HostPlace & { repository: RepositoryEntity }, run: WorkManifestEntity): Promise<boolean> {
    const kind = artifactKind(run);
    if (kind === undefined) return true;
    const content = run.state === 'completed' ? await this.contentOf(run, kind) : undefined;
    if (content === undefined) return false;
    await this.artifacts.keep(run.repositoryId, run.branchRef, { kind, content });
    if (kind === 'build-config') await this.sayMistakes(place, run, content);
    return true;
  }

  private async sayMistakes(
    place: HostPlace & { repository: RepositoryEntity },
    run: WorkManifestEntity,
    text: string,
  ): Promise<void> {
    try {
      parseRepoConfig(text, BUILT_FILE);
    } catch (error) {
      if (!(error instanceof InvalidRepoConfig) || run.pullNumber === null) throw error;
      await this.mistakes.say(place, { number: run.pullNumber, sha: run.branchRef }, error.message);
    }
  }

  private async contentOf({ id }: WorkManifestEntity, kind: ArtifactKind): Promise<string | undefined> {
    const steps = await this.comments.stepsOf(id);
    const payload = steps.find(({ step, state }) => step === kind && state === 'success')?.payload;
    if (kind === 'build-config')
      return typeof payload?.['config'] === 'string' ? payload['config'] : undefined;
    const text = JSON.stringify(payload?.['index'] ?? null);
    return parseRepositoryIndex(text) ? text : undefined;
  }
}

export function artifactKind({ runType }: Pick<WorkManifestEntity, 'runType'>): ArtifactKind | undefined {
  return runType === 'index' || runType === 'build-config' ? runType : undefined;
}
