import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Jobs } from '../../../platform/queue/index.js';
import { type Dirspace, dirspaceKey, hooksFor, type RepoConfig } from '../../repo-config/index.js';
import type { ArtifactKind } from '../entities/commit-artifact.entity.js';
import { DispatchRunsJob } from '../runs/dispatch-runs.declaration.js';
import { dirspaceSpecs } from '../runs/run-spec.js';
import { RunTransactions } from '../runs/run-transactions.js';
import { type NewRun, Runs } from '../runs/runs.store.js';
import type { Change, RepositoryPlace } from './changes.js';
import type { DefaultBranch } from './default-branches.js';

export interface RunRequest {
  runType: 'plan' | 'apply';
  /** what asked for it; the same one creates nothing twice */
  trigger: string;
  username: string | null;
  tagQuery?: string;
  appliesPlan?: boolean;
  isForced?: boolean;
  /** every dirspace of the commit: some depend on each other through those that are no part of the run */
  among?: readonly Dirspace[];
  /** of an apply: the run whose plan each dirspace applies */
  planFrom?: (dirspace: Dirspace) => string | null;
}

type ArtifactRunFields = Pick<
  NewRun,
  'pullNumber' | 'pullTitle' | 'branch' | 'branchRef' | 'baseBranch' | 'baseRef' | 'username'
> & { runType: ArtifactKind; trigger: string };

/** Makes work manifests of dirspaces: one for each environment, as each is a run of its own. */
@Injectable()
export class RunCreation {
  constructor(
    private readonly runs: Runs,
    private readonly jobs: Jobs,
    private readonly transactions: RunTransactions,
  ) {}

  /** Answers the ids of the new runs; none when the same trigger has created them before. */
  async forPullRequest(
    change: Change,
    dirspaces: readonly Dirspace[],
    request: RunRequest,
  ): Promise<string[]> {
    const { place, pullRequest, config, trustedStateGroups } = change;
    const { branch, sha, baseBranch, baseSha, number, title } = pullRequest;
    const repositoryId = place.repository.id;
    const created = await this.create(
      config,
      dirspaces,
      { ...request, among: change.all },
      {
        installationId: place.installation.id,
        repositoryId,
        owner: place.repository.owner,
        repo: place.repository.name,
        kind: 'pull_request',
        pullNumber: number,
        pullTitle: title,
        branch,
        branchRef: sha,
        baseBranch,
        baseRef: baseSha,
        trustedStateGroups,
      },
    );
    if (created.length === 0) return created;
    const isPlanning = request.runType === 'plan' || request.appliesPlan === true;
    if (isPlanning) await this.transactions.abortReplaced({ repositoryId, pullNumber: number, sha }, created);
    // Whoever holds now was let in by somebody who has looked at what was given up. Where nobody holds, nobody has. Not
    // earlier, because a runner on the machine of a killed one reports what that one did.
    if (request.runType === 'apply')
      await this.transactions.giveUpCommits(
        repositoryId,
        dirspaces.filter(({ lockPolicy }) => lockPolicy === 'apply'),
      );
    return created;
  }

  /** A run that finds something out about the head commit, before anything can be planned. */
  async forArtifact(
    { place, pullRequest, config }: Change,
    kind: ArtifactKind,
    { trigger, username }: Pick<RunRequest, 'trigger' | 'username'>,
  ): Promise<string | undefined> {
    const { branch, sha, baseBranch, baseSha, number, title } = pullRequest;
    return this.createArtifactRun(place, config, {
      runType: kind,
      pullNumber: number,
      pullTitle: title,
      branch,
      branchRef: sha,
      baseBranch,
      baseRef: baseSha,
      username,
      trigger,
    });
  }

  /** The same about the head of the default branch, with the configuration of its file. */
  forDefaultBranch(
    place: RepositoryPlace,
    { name, sha, config }: Pick<DefaultBranch, 'name' | 'sha' | 'config'>,
    { kind, trigger }: { kind: ArtifactKind; trigger: string },
  ): Promise<string | undefined> {
    return this.createArtifactRun(place, config, {
      runType: kind,
      pullNumber: null,
      pullTitle: null,
      branch: name,
      branchRef: sha,
      baseBranch: name,
      baseRef: sha,
      username: null,
      trigger,
    });
  }

  private async createArtifactRun(
    place: RepositoryPlace,
    config: RepoConfig,
    { trigger, ...of }: ArtifactRunFields,
  ): Promise<string | undefined> {
    const { runType, pullNumber, branchRef, baseBranch } = of;
    const repositoryId = place.repository.id;
    const once = [trigger, runType, String(pullNumber), branchRef];
    const create = (key: string): Promise<string | undefined> =>
      this.runs.create(
        {
          ...of,
          installationId: place.installation.id,
          repositoryId,
          owner: place.repository.owner,
          repo: place.repository.name,
          kind: 'index',
          environment: null,
          tagQuery: '',
          triggerKey: key,
          askedBy: trigger,
          isForced: false,
          appliesPlan: false,
          place: config.run.on,
          pool: config.run.pool ?? null,
          workflow: config.run.workflow,
          runsOn: config.run.runs_on ?? null,
          timeoutMinutes: config.run.timeout_minutes,
          spec: {
            checkout: 'head',
            parallel: 1,
            hooks: { pre: [], post: [] },
            dirspaces: [],
            trustedStateGroups: [],
            ...(runType === 'build-config' ? { command: config.config_builder.cmd } : {}),
          },
        },
        [],
      );
    // Since then the pull request was aimed at another base branch, or the base branch names another command.
    const command = config.config_builder.cmd;
    const keys =
      runType === 'build-config'
        ? [once, [...once, baseBranch], [...once, baseBranch, JSON.stringify(command)]]
        : [once];
    let id: string | undefined;
    for (const key of keys.map(triggerKey)) {
      id = await create(key);
      if (id !== undefined) break;
      if (!(await this.runs.isOfOtherBuild({ repositoryId, triggerKey: key, baseBranch, command }))) break;
    }
    if (id !== undefined) await this.jobs.enqueue(DispatchRunsJob, {});
    return id;
  }

  async create(
    config: RepoConfig,
    dirspaces: readonly Dirspace[],
    request: RunRequest,
    of: Pick<
      NewRun,
      | 'installationId'
      | 'repositoryId'
      | 'owner'
      | 'repo'
      | 'kind'
      | 'pullNumber'
      | 'pullTitle'
      | 'branch'
      | 'branchRef'
      | 'baseBranch'
      | 'baseRef'
    > & { trustedStateGroups: ReadonlySet<string> },
  ): Promise<string[]> {
    const { trustedStateGroups, ...fields } = of;
    const { runType, trigger, username, tagQuery = '', appliesPlan = false, isForced = false } = request;
    const created: string[] = [];
    for (const [environment, group] of groupsOf(dirspaces)) {
      const id = await this.runs.create(
        {
          ...fields,
          runType,
          username,
          environment: environment === '' ? null : environment,
          tagQuery,
          triggerKey: triggerKey([trigger, runType, environment, ...group.map(dirspaceKey)]),
          askedBy: trigger,
          isForced,
          appliesPlan,
          place: config.run.on,
          pool: config.run.pool ?? null,
          workflow: config.run.workflow,
          runsOn: config.run.runs_on ?? null,
          timeoutMinutes: config.run.timeout_minutes,
          spec: {
            checkout: config.checkout,
            parallel: config.run.parallel,
            hooks: hooksFor(config.hooks, runType),
            ...dirspaceSpecs(group, { runType, appliesPlan, among: request.among }),
            trustedStateGroups: [...trustedStateGroups],
          },
        },
        group.map((dirspace) => ({
          dir: dirspace.dir,
          workspace: dirspace.workspace,
          lockPolicy: dirspace.lockPolicy,
          planFrom: request.planFrom?.(dirspace) ?? null,
        })),
      );
      if (id !== undefined) created.push(id);
    }
    if (created.length > 0) await this.jobs.enqueue(DispatchRunsJob, {});
    return created;
  }
}

function groupsOf(dirspaces: readonly Dirspace[]): Map<string, Dirspace[]> {
  const groups = new Map<string, Dirspace[]>();
  for (const dirspace of dirspaces) {
    const environment = dirspace.environment ?? '';
    groups.set(environment, [...(groups.get(environment) ?? []), dirspace]);
  }
  return groups;
}

function triggerKey(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}
