import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/index.js';
import { UserDirectory } from '../../users/index.js';
import { CodeHosts } from '../../vcs/index.js';
import type { WorkManifestEntity } from '../entities/work-manifest.entity.js';
import { orchestrationErrors } from '../orchestration.errors.js';
import type { RepositoryPlace } from '../planning/changes.js';
import { RunPlaces } from '../planning/run-places.js';
import { type PlanFile, PlanFiles } from '../runs/plan-files.store.js';
import type { RunStateOutcome } from '../runs/run-spec.js';
import { RunStates } from '../runs/run-states.store.js';
import { workingMinutes } from '../runs/run-time-limit.rules.js';
import { Runs } from '../runs/runs.store.js';
import { RunTokens } from './run-tokens.js';
import { RUNNER_PROTOCOL } from './runner.service.js';

const NO_SYSTEM_USER =
  'the user that runs of this installation act as was deleted: an administrator of the tenant must unlink the installation, and it must be linked again';

/** What a runner has to do, with a credential for exactly one checkout. */
@Injectable()
export class RunWork {
  constructor(
    private readonly places: RunPlaces,
    private readonly hosts: CodeHosts,
    private readonly runs: Runs,
    private readonly planFiles: PlanFiles,
    private readonly states: RunStates,
    private readonly users: UserDirectory,
    private readonly tokens: RunTokens,
    private readonly config: Config,
  ) {}

  /** Without a credential for a runner that has one of its own. */
  async describe(run: WorkManifestEntity, { hasCheckout = false } = {}): Promise<Record<string, unknown>> {
    const place = await this.places.of(run);
    if (!place || !run.spec) throw orchestrationErrors.RUN_ENDED();
    const { repository, installation } = place;
    const clone = await this.hosts.of(installation.provider).readCloneCredentials(place);
    const dirspaces = await this.runs.dirspaces(run.id);
    const withPlan = await this.dirspacesWithPlan(dirspaces);
    const { spec } = run;
    const states = await this.statesOf(run, place);
    return {
      protocol: RUNNER_PROTOCOL,
      id: run.id,
      run_type: run.runType,
      kind: run.kind,
      ...pullRequestOf(run),
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
        username: hasCheckout ? '' : clone.username,
        password: hasCheckout ? '' : clone.password,
      },
      dirspaces: spec.dirspaces.map((dirspace, position) => ({
        dir: dirspace.dir,
        workspace: dirspace.workspace,
        tags: dirspace.tags,
        engine: dirspace.engine,
        mode: dirspace.mode,
        has_plan: withPlan.has(position),
        ...(dirspace.dependsOn === undefined ? {} : { depends_on: dirspace.dependsOn }),
        steps: dirspace.steps,
        ...states.get(position),
      })),
      ...(spec.dependencyLists ? { dependency_lists: spec.dependencyLists } : {}),
      ...(spec.command ? { config_builder: { cmd: spec.command } } : {}),
      hooks: spec.hooks,
      timeout_minutes: workingMinutes(run.timeoutMinutes, this.config.get('SERVICE_RUN_MAX_SECONDS')),
      parallel: spec.parallel,
      ...(states.size > 0 ? { state_token: await this.tokens.signForStates(run) } : {}),
    };
  }

  /** An older release let administrators delete the user that runs act as. */
  private async statesOf(
    run: WorkManifestEntity,
    { installation, tenantId }: RepositoryPlace & { tenantId: string },
  ): Promise<Map<number, RunStateOutcome>> {
    if (await this.users.exists(installation.systemUserId)) return this.states.prepare(run, tenantId);
    const withState = [...(run.spec?.dirspaces ?? []).entries()].filter(
      ([, { state }]) => state !== undefined,
    );
    return new Map(withState.map(([position]) => [position, { refusal: NO_SYSTEM_USER }]));
  }

  /** The plan file that dirspace `n` of an apply applies. */
  async planOf(run: WorkManifestEntity, n: number): Promise<PlanFile | undefined> {
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

function pullRequestOf(run: WorkManifestEntity): Record<string, unknown> {
  const { pullNumber: number, pullTitle: title, username: user, branch, baseBranch: base_branch } = run;
  if (number === null) return {};
  return { pull_request: { number, title: title ?? '', branch, base_branch, user: user ?? '' } };
}
