import { Injectable } from '@nestjs/common';
import { CodeHosts } from '../../vcs/index.js';
import type { WorkManifestEntity } from '../entities/work-manifest.entity.js';
import { orchestrationErrors } from '../orchestration.errors.js';
import { RunPlaces } from '../planning/run-places.js';
import { PlanFiles } from '../runs/plan-files.store.js';
import { RunStates } from '../runs/run-states.store.js';
import { Runs } from '../runs/runs.store.js';
import { RUNNER_PROTOCOL } from './runner.service.js';

/** What a runner has to do, with a credential for exactly one checkout. */
@Injectable()
export class RunWork {
  constructor(
    private readonly places: RunPlaces,
    private readonly hosts: CodeHosts,
    private readonly runs: Runs,
    private readonly planFiles: PlanFiles,
    private readonly states: RunStates,
  ) {}

  async describe(run: WorkManifestEntity): Promise<Record<string, unknown>> {
    const place = await this.places.of(run);
    if (!place || !run.spec) throw orchestrationErrors.RUN_ENDED();
    const { repository, installation } = place;
    const clone = await this.hosts.of(installation.provider).readCloneCredentials(place);
    const dirspaces = await this.runs.dirspaces(run.id);
    const withPlan = await this.dirspacesWithPlan(dirspaces);
    const { spec } = run;
    const states = await this.states.prepare(run, place.tenantId);
    return {
      protocol: RUNNER_PROTOCOL,
      id: run.id,
      run_type: run.runType,
      kind: run.kind,
      ...(run.pullNumber === null
        ? {}
        : {
            pull_request: {
              number: run.pullNumber,
              title: run.pullTitle ?? '',
              branch: run.branch,
              base_branch: run.baseBranch,
              user: run.username ?? '',
            },
          }),
      repository: {
        provider: installation.provider,
        owner: repository.owner,
        name: repository.name,
        clone_url: clone.cloneUrl,
        default_branch: repository.defaultBranch ?? run.baseBranch,
      },
      checkout: {
        strategy: run.pullNumber === null || run.kind === 'index' ? 'head' : spec.checkout,
        base_ref: run.baseBranch,
        base_sha: run.baseRef,
        head_ref: run.branch,
        head_sha: run.branchRef,
        username: clone.username,
        password: clone.password,
      },
      dirspaces: spec.dirspaces.map((dirspace, position) => ({
        dir: dirspace.dir,
        workspace: dirspace.workspace,
        tags: dirspace.tags,
        engine: dirspace.engine,
        mode: dirspace.mode,
        has_plan: withPlan.has(position),
        steps: dirspace.steps,
        ...states.get(position),
      })),
      ...(spec.command ? { config_builder: { cmd: spec.command } } : {}),
      hooks: spec.hooks,
      timeout_minutes: run.timeoutMinutes,
      parallel: spec.parallel,
    };
  }

  /** The plan file that dirspace `n` of an apply applies. */
  async planOf(
    run: WorkManifestEntity,
    n: number,
  ): Promise<{ size: number; parts: AsyncGenerator<Buffer> } | undefined> {
    const dirspace = (await this.runs.dirspaces(run.id))[n];
    if (!dirspace?.planFrom) return undefined;
    const planned = (await this.runs.dirspaces(dirspace.planFrom)).find(
      ({ dir, workspace }) => dir === dirspace.dir && workspace === dirspace.workspace,
    );
    return planned && this.planFiles.read(dirspace.planFrom, planned.position);
  }

  private async dirspacesWithPlan(
    dirspaces: readonly { position: number; planFrom: string | null; dir: string; workspace: string }[],
  ): Promise<Set<number>> {
    const found = new Set<number>();
    for (const { position, planFrom, dir, workspace } of dirspaces) {
      if (planFrom === null) continue;
      const planned = (await this.runs.dirspaces(planFrom)).find(
        (d) => d.dir === dir && d.workspace === workspace,
      );
      if (planned && (await this.planFiles.positions(planFrom)).has(planned.position)) found.add(position);
    }
    return found;
  }
}
