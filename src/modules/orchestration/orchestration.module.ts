import { Module, type OnModuleInit } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Config } from '../../platform/config/index.js';
import { AccessModule } from '../access/index.js';
import { AuditModule } from '../audit/index.js';
import { MqlModule, QueryTables } from '../mql/index.js';
import { StatesModule } from '../states/index.js';
import { TransactionsModule } from '../transactions/index.js';
import { UsersModule } from '../users/index.js';
import { VcsModule } from '../vcs/index.js';
import { ApplyCommand } from './commands/apply.command.js';
import { CommandActions } from './commands/command-actions.js';
import { CommentCommands } from './commands/comment-commands.js';
import { PlanCommand } from './commands/plan.command.js';
import { UnlockPermissions } from './commands/unlock-permissions.js';
import { UnlockCommand } from './commands/unlock.command.js';
import { RunDispatch } from './dispatching/dispatch-runs.job.js';
import { LeftSessions } from './dispatching/left-sessions.job.js';
import { HeartbeatGrace } from './dispatching/heartbeat-grace.js';
import { RunUpkeep } from './dispatching/run-upkeep.job.js';
import { SentRuns } from './dispatching/sent-runs.js';
import { DriftRuns } from './drift/drift-runs.js';
import { DriftBranchesStore } from './drift/drift-branches.store.js';
import { ScheduleRefresh } from './drift/schedule-refresh.js';
import { DriftPreparation } from './drift/drift-preparation.js';
import { DriftSchedules } from './drift/drift-schedules.job.js';
import { DriftSchedulesStore } from './drift/drift-schedules.store.js';
import { DriftBranches } from './drift/read-branches.job.js';
import { BuiltConfigurationEntity, CommitArtifactEntity } from './entities/commit-artifact.entity.js';
import { ConfigurationMistakesEntity } from './entities/configuration-mistakes.entity.js';
import {
  DirspaceHoldEntity,
  DirspaceModeEntity,
  RunningDirspaceEntity,
} from './entities/dirspace-lock.entities.js';
import { CommentCommandEntity, GateApprovalEntity, GateEntity } from './entities/gate.entities.js';
import {
  DriftBranchEntity,
  DriftScheduleEntity,
  PlanFileEntity,
  PlanFilePartEntity,
  RunLogChunkEntity,
  RunnerPoolEntity,
} from './entities/run-artifact.entities.js';
import { RepositoryStateGroupEntity, RunStateEntity } from './entities/run-state.entities.js';
import { WorkManifestDirspaceEntity } from './entities/work-manifest-dirspace.entity.js';
import {
  WorkManifestOutputEntity,
  WorkManifestPayloadEntity,
} from './entities/work-manifest-output.entity.js';
import { WorkManifestEntity } from './entities/work-manifest.entity.js';
import { DriftOverviewQueries } from './overview/drift-overview.queries.js';
import { DriftReleases } from './overview/drift-releases.service.js';
import { DriftStarts } from './overview/drift-starts.service.js';
import { PullRequestOverviewQueries } from './overview/pull-request-overview.queries.js';
import { PullRequestOverviews } from './overview/pull-request-overviews.service.js';
import {
  GithubRunOverviewsController,
  GitlabRunOverviewsController,
} from './overview/run-overviews.controller.js';
import { RunStandingQueries } from './overview/run-standing.queries.js';
import { RunStandings } from './overview/run-standings.service.js';
import { ApplyRequirementChecks } from './planning/apply-requirements.service.js';
import { Changes } from './planning/changes.js';
import { CommitTrees } from './planning/commit-trees.js';
import { DefaultBranches } from './planning/default-branches.js';
import { OpenGates } from './planning/open-gates.js';
import { Permissions } from './planning/permissions.service.js';
import { PullRequestPlans } from './planning/pull-request-plans.js';
import { RepoConfigs } from './planning/repo-configs.js';
import { RunCreation } from './planning/run-creation.js';
import { RunPlaces } from './planning/run-places.js';
import { PullRequestClosing } from './reacting/pull-request-closing.js';
import { CiJobEnds } from './reacting/ci-job-ends.js';
import { PullRequestHandlers } from './reacting/pull-request.handlers.js';
import { DirspaceQueries } from './records/dirspaces.queries.js';
import { orchestrationTables } from './records/orchestration-tables.js';
import { OutputQueries } from './records/outputs.queries.js';
import { RunRecords } from './records/run-records.service.js';
import { RunWorkspacesController } from './records/run-workspaces.controller.js';
import { GithubRunsController, GitlabRunsController } from './records/work-manifests.controller.js';
import { WorkManifestQueries } from './records/work-manifests.queries.js';
import { AfterPlans } from './reacting/after-plans.js';
import { ArtifactRuns } from './reporting/artifact-runs.js';
import { AfterRuns } from './reacting/after-runs.js';
import { Automerge } from './reacting/automerge.js';
import { CommitStatuses } from './reporting/commit-statuses.service.js';
import { DriftIssues } from './reporting/drift-issues.js';
import { MergeComments } from './reporting/merge-comments.js';
import { MistakeComments } from './reporting/mistake-comments.js';
import { RunReporting } from './reacting/report-run.job.js';
import { PlanDescriptions } from './reporting/plan-descriptions.service.js';
import { Replies } from './reporting/replies.js';
import { RunComments } from './reporting/run-comments.js';
import { GithubRunLogController, GitlabRunLogController } from './running/run-log.controller.js';
import { RunLogs } from './running/run-logs.service.js';
import { RunStateTokens, RunTokens } from './running/run-tokens.js';
import { RunWork } from './running/run-work.js';
import { RunnerClaims } from './running/runner-claims.js';
import { RunnerPlanFiles } from './running/runner-plan-files.js';
import { RunnerPoolsController } from './running/runner-pools.controller.js';
import { RunnerPools } from './running/runner-pools.service.js';
import { RunnerController } from './running/runner.controller.js';
import { RunnerService } from './running/runner.service.js';
import { CommitArtifacts } from './runs/commit-artifacts.store.js';
import { ConfigurationMistakes } from './runs/configuration-mistakes.store.js';
import { Gates } from './runs/gates.store.js';
import { Holds } from './runs/holds.store.js';
import { PlanRetirement } from './runs/plan-retirement.js';
import { PlanFiles } from './runs/plan-files.store.js';
import { RunLeftovers } from './runs/run-leftovers.js';
import { RunLog } from './runs/run-log.store.js';
import { RunProgress } from './runs/run-progress.queries.js';
import { RunQueue } from './runs/run-queue.store.js';
import { RunStates } from './runs/run-states.store.js';
import { RunTransactions } from './runs/run-transactions.js';
import { Runs } from './runs/runs.store.js';
import { WaitingDrift } from './runs/waiting-drift.js';
import { WorkTokens } from './runs/work-tokens.js';

const entities = [
  CommentCommandEntity,
  BuiltConfigurationEntity,
  CommitArtifactEntity,
  ConfigurationMistakesEntity,
  DirspaceHoldEntity,
  DirspaceModeEntity,
  DriftBranchEntity,
  DriftScheduleEntity,
  GateApprovalEntity,
  GateEntity,
  PlanFileEntity,
  PlanFilePartEntity,
  RepositoryStateGroupEntity,
  RunLogChunkEntity,
  RunnerPoolEntity,
  RunningDirspaceEntity,
  RunStateEntity,
  WorkManifestDirspaceEntity,
  WorkManifestEntity,
  WorkManifestOutputEntity,
  WorkManifestPayloadEntity,
];

/** From a pull request to a plan to an apply: runs, their queue, and what they say in the pull request. */
@Module({
  imports: [
    TypeOrmModule.forFeature(entities),
    AccessModule,
    AuditModule,
    MqlModule,
    StatesModule,
    TransactionsModule,
    UsersModule,
    VcsModule,
  ],
  controllers: [
    GithubRunLogController,
    GithubRunOverviewsController,
    GithubRunsController,
    GitlabRunLogController,
    GitlabRunOverviewsController,
    GitlabRunsController,
    RunnerController,
    RunnerPoolsController,
    RunWorkspacesController,
  ],
  providers: [
    PlanDescriptions,
    AfterPlans,
    AfterRuns,
    Automerge,
    ApplyCommand,
    ApplyRequirementChecks,
    ArtifactRuns,
    CiJobEnds,
    Changes,
    CommandActions,
    CommentCommands,
    CommitArtifacts,
    CommitStatuses,
    CommitTrees,
    ConfigurationMistakes,
    DefaultBranches,
    DirspaceQueries,
    DriftIssues,
    DriftOverviewQueries,
    DriftReleases,
    DriftRuns,
    DriftBranches,
    DriftBranchesStore,
    ScheduleRefresh,
    DriftPreparation,
    DriftSchedules,
    DriftSchedulesStore,
    DriftStarts,
    Gates,
    HeartbeatGrace,
    Holds,
    LeftSessions,
    MergeComments,
    MistakeComments,
    OutputQueries,
    OpenGates,
    Permissions,
    PlanCommand,
    PlanFiles,
    PlanRetirement,
    PullRequestClosing,
    PullRequestHandlers,
    PullRequestOverviewQueries,
    PullRequestOverviews,
    PullRequestPlans,
    RepoConfigs,
    Replies,
    RunComments,
    RunCreation,
    RunDispatch,
    RunLeftovers,
    RunLog,
    RunLogs,
    RunnerClaims,
    RunnerPlanFiles,
    RunnerPools,
    RunnerService,
    RunPlaces,
    RunProgress,
    RunQueue,
    RunRecords,
    RunReporting,
    Runs,
    RunStandingQueries,
    RunStandings,
    RunStates,
    RunTokens,
    RunStateTokens,
    RunTransactions,
    RunUpkeep,
    RunWork,
    SentRuns,
    UnlockCommand,
    UnlockPermissions,
    WaitingDrift,
    WorkManifestQueries,
    WorkTokens,
  ],
})
export class OrchestrationModule implements OnModuleInit {
  constructor(
    private readonly config: Config,
    private readonly tables: QueryTables,
  ) {}

  onModuleInit(): void {
    if (this.config.get('SERVICE_ORCHESTRATION_ENABLED')) this.tables.add(orchestrationTables);
  }
}
