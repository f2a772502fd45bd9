import { Injectable } from '@nestjs/common';
import { Events } from '../../../platform/events/index.js';
import { InvalidRepoConfig, parseRepoConfig, parseRepositoryIndex } from '../../repo-config/index.js';
import type { HostPlace, RepositoryEntity } from '../../vcs/index.js';
import type { ArtifactKind } from '../entities/commit-artifact.entity.js';
import type { WorkManifestEntity } from '../entities/work-manifest.entity.js';
import { BranchArtifactEnded } from '../runs/branch-artifact-ended.event.js';
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
    private readonly events: Events,
  ) {}

  /** False when a run of such a type found nothing out; true for every other run. */
  async keep(place: HostPlace & { repository: RepositoryEntity }, run: WorkManifestEntity): Promise<boolean> {
    const kind = artifactKind(run);
    if (kind === undefined) return true;
    const content = run.state === 'completed' ? await this.contentOf(run, kind) : undefined;
    const { repositoryId, branchRef: sha, baseBranch } = run;
    const command = run.spec?.command;
    if (content !== undefined)
      await this.artifacts.keep({ repositoryId, sha, baseBranch, kind, command, content });
    // The schedules of the default branch say what is wrong there.
    if (run.pullNumber === null) await this.events.publish(new BranchArtifactEnded(run.repositoryId));
    else if (kind === 'build-config' && content !== undefined)
      await this.sayMistakes(place, { ...run, pullNumber: run.pullNumber }, content);
    return content !== undefined;
  }

  private async sayMistakes(
    place: HostPlace & { repository: RepositoryEntity },
    run: WorkManifestEntity & { pullNumber: number },
    text: string,
  ): Promise<void> {
    try {
      parseRepoConfig(text, BUILT_FILE);
    } catch (error) {
      if (!(error instanceof InvalidRepoConfig)) throw error;
      await this.mistakes.say(place, { number: run.pullNumber, sha: run.branchRef }, error);
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
