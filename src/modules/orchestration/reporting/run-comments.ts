import { Injectable } from '@nestjs/common';
import { In, IsNull, LessThan, Not } from 'typeorm';
import { Config } from '../../../platform/config/index.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import { CodeHosts, type HostPlace } from '../../vcs/index.js';
import {
  WorkManifestOutputEntity,
  WorkManifestPayloadEntity,
} from '../entities/work-manifest-output.entity.js';
import { WorkManifestEntity } from '../entities/work-manifest.entity.js';
import { missingApprovals } from '../planning/gate.rules.js';
import { Gates } from '../runs/gates.store.js';
import { Runs } from '../runs/runs.store.js';
import { outdatedComment, runComment, type StepText } from './comment-text.rules.js';

/** The comment of a run that ended. */
@Injectable()
export class RunComments {
  constructor(
    private readonly work: UnitOfWork,
    private readonly hosts: CodeHosts,
    private readonly runs: Runs,
    private readonly gates: Gates,
    private readonly config: Config,
  ) {}

  /** Posts it unless it stands, and shortens an older one of the same kind. */
  async post(place: HostPlace, run: WorkManifestEntity, waiting: readonly string[]): Promise<void> {
    const { pullNumber } = run;
    if (pullNumber === null || run.commentId !== null) return;
    const host = this.hosts.of(place.installation.provider);
    const text = await this.textOf(place, run, { waiting, limit: host.maxCommentLength });
    const id = await host.createComment(place, pullNumber, text);
    await this.work.manager.update(WorkManifestEntity, { id: run.id }, { commentId: id });
    if (run.runType === 'plan') await this.shortenOlder(place, run, pullNumber);
  }

  private async textOf(
    place: HostPlace,
    run: WorkManifestEntity,
    { waiting, limit }: { waiting: readonly string[]; limit: number },
  ): Promise<string> {
    const dirspaces = await this.runs.dirspaces(run.id);
    const gates =
      run.pullNumber === null
        ? []
        : await this.gates.list({
            repositoryId: run.repositoryId,
            pullNumber: run.pullNumber,
            sha: run.branchRef,
          });
    return runComment(
      {
        id: run.id,
        runType: run.runType,
        state: run.state,
        error: run.errorId === null ? undefined : { id: run.errorId, data: run.errorData ?? '' },
        dirspaces,
        steps: await this.stepsOf(run.id),
        gates: gates.flatMap((gate) => {
          const missing = missingApprovals(gate, gate.approvedBy);
          return missing === undefined ? [] : [{ token: gate.token, name: gate.name, missing }];
        }),
        waiting,
        runPage: this.runPage(place, run.id),
        ciRun: run.runUrl ?? undefined,
        extras: [],
      },
      limit,
    );
  }

  private async stepsOf(workManifestId: string): Promise<StepText[]> {
    const order = { idx: 'ASC' } as const;
    const steps = await this.work.manager.find(WorkManifestOutputEntity, {
      where: { workManifestId },
      order,
    });
    const payloads = await this.work.manager.findBy(WorkManifestPayloadEntity, { workManifestId });
    const byIdx = new Map(payloads.map(({ idx, payload }) => [idx, payload]));
    return steps.map((step) => ({ ...step, payload: byIdx.get(step.idx) ?? null }));
  }

  private async shortenOlder(place: HostPlace, run: WorkManifestEntity, pullNumber: number): Promise<void> {
    const older = await this.work.manager.find(WorkManifestEntity, {
      where: {
        repositoryId: run.repositoryId,
        pullNumber,
        runType: In(['plan']),
        commentId: Not(IsNull()),
        branchRef: Not(run.branchRef),
        createdAt: LessThan(run.createdAt),
      },
      order: { createdAt: 'DESC' },
      take: 5,
    });
    const host = this.hosts.of(place.installation.provider);
    for (const { commentId, runType, id } of older)
      if (commentId !== null)
        await host.updateComment(
          place,
          { number: pullNumber, id: commentId },
          outdatedComment(runType, this.runPage(place, id)),
        );
  }

  private runPage({ installation }: HostPlace, id: string): string {
    const path = `/installations/${installation.provider}/${encodeURIComponent(installation.installationId)}/runs/${id}`;
    return new URL(path, this.config.get('SERVICE_UI_BASE')).toString();
  }
}
