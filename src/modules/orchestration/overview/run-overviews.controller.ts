import { Controller, Get, Param, Post, Query, UseGuards } from '@nestjs/common';
import { ApiParam, ApiTags } from '@nestjs/swagger';
import { Answers, AnswersPage, Refuses, TokenPage } from '../../../platform/http/index.js';
import { Caller, OnlyWhile, type Principal, SignedIn } from '../../access/index.js';
import {
  EnteredInstallation,
  InstallationGuard,
  InstallationsOf,
  type LinkedInstallation,
  listLimit,
  vcsErrors,
} from '../../vcs/index.js';
import {
  DriftListView,
  DriftScheduleListView,
  ListDriftQuery,
  PullRequestOverviewView,
  ReleasedHoldsView,
  RunStandingView,
  StartedDriftView,
} from '../dto/overview.dto.js';
import { DriftOverviewQueries } from './drift-overview.queries.js';
import { DriftReleases } from './drift-releases.service.js';
import { DriftStarts } from './drift-starts.service.js';
import { PullRequestOverviews } from './pull-request-overviews.service.js';
import { RunStandings } from './run-standings.service.js';

const whileEnabled = OnlyWhile('SERVICE_ORCHESTRATION_ENABLED', vcsErrors.ORCHESTRATION_DISABLED);
const INSTALLATION_ID = { name: 'installationId', type: String, description: "the provider's own id" };

/** What people look at and stop; the same routes for each provider. */
abstract class RunOverviewsController {
  constructor(
    private readonly standings: RunStandings,
    private readonly pullRequests: PullRequestOverviews,
    private readonly drift: DriftOverviewQueries,
    private readonly driftStarts: DriftStarts,
    private readonly driftReleases: DriftReleases,
  ) {}

  /** How far a run is, and what it waits for. */
  @Get('work-manifests/:workManifestId/standing')
  @SignedIn()
  @Answers(200, RunStandingView)
  @Refuses(403, 404)
  readStanding(
    @Caller() caller: Principal,
    @EnteredInstallation() installation: LinkedInstallation,
    @Param('workManifestId') id: string,
  ): Promise<RunStandingView> {
    return this.standings.read(caller, installation, id);
  }

  /**
   * Cancels a run that waits or runs; needs `commit` in the tenant. The runner is told at its next call and stops
   * Terraform. Directories that an apply holds stay held.
   */
  @Post('work-manifests/:workManifestId/cancel')
  @SignedIn()
  @whileEnabled
  @Answers(204)
  @Refuses(403, 404, 409, 503)
  cancelRun(
    @Caller() caller: Principal,
    @EnteredInstallation() installation: LinkedInstallation,
    @Param('workManifestId') id: string,
  ): Promise<void> {
    return this.standings.cancel(caller, installation, id);
  }

  /**
   * Releases the directories that an aborted drift run left held; needs `commit` in the tenant. Check first what the run
   * did: its runner may still apply. A pull request is released by a comment `infrastate unlock`.
   */
  @Post('work-manifests/:workManifestId/release')
  @SignedIn()
  @whileEnabled
  @Answers(200, ReleasedHoldsView)
  @Refuses(403, 404, 409, 503)
  async releaseRun(
    @Caller() caller: Principal,
    @EnteredInstallation() installation: LinkedInstallation,
    @Param('workManifestId') id: string,
  ): Promise<ReleasedHoldsView> {
    return { dirspaces: await this.driftReleases.release(caller, installation, id) };
  }

  /** A pull request with its newest plans and applies, holds and gates. */
  @Get('repos/:repoId/pull-requests/:pullNumber')
  @SignedIn()
  @Answers(200, PullRequestOverviewView)
  @Refuses(403, 404)
  readPullRequest(
    @Caller() caller: Principal,
    @EnteredInstallation() installation: LinkedInstallation,
    @Param('repoId') repoId: string,
    @Param('pullNumber') pullNumber: string,
  ): Promise<PullRequestOverviewView> {
    return this.pullRequests.read(caller, installation, { repoId, pullNumber });
  }

  /** Lists what the last look for drift found in each directory. */
  @Get('drift')
  @SignedIn()
  @AnswersPage(DriftListView)
  @Refuses(400, 403)
  async listDrift(
    @Caller() caller: Principal,
    @EnteredInstallation() installation: LinkedInstallation,
    @Query() { page, limit, state, repo }: ListDriftQuery,
  ): Promise<TokenPage<DriftListView>> {
    const found = await this.drift.list(installation, { page, limit: listLimit(limit), state, repo });
    return new TokenPage(
      { drift: found.rows, may_release: this.driftReleases.mayRelease(caller, installation) },
      found,
    );
  }

  /** Lists the drift schedules of the default branches. */
  @Get('drift-schedules')
  @SignedIn()
  @Answers(200, DriftScheduleListView)
  @Refuses(403)
  async listSchedules(
    @Caller() caller: Principal,
    @EnteredInstallation() installation: LinkedInstallation,
  ): Promise<DriftScheduleListView> {
    return {
      schedules: await this.driftStarts.listSchedules(installation),
      may_start: this.driftStarts.mayStart(caller, installation),
    };
  }

  /** Starts the runs of a drift schedule now, also outside of its window; needs `commit` in the tenant. */
  @Post('repos/:repoId/drift-schedules/:name/start')
  @SignedIn()
  @whileEnabled
  @Answers(200, StartedDriftView)
  @Refuses(403, 404, 409, 502, 503)
  async startDrift(
    @Caller() caller: Principal,
    @EnteredInstallation() installation: LinkedInstallation,
    @Param('repoId') repoId: string,
    @Param('name') name: string,
  ): Promise<StartedDriftView> {
    return { work_manifest_ids: await this.driftStarts.start(caller, installation, { repoId, name }) };
  }
}

@ApiTags('code hosting')
@Controller('github/installations/:installationId')
@InstallationsOf('github')
@ApiParam(INSTALLATION_ID)
@UseGuards(InstallationGuard)
export class GithubRunOverviewsController extends RunOverviewsController {
  constructor(
    standings: RunStandings,
    pullRequests: PullRequestOverviews,
    drift: DriftOverviewQueries,
    driftStarts: DriftStarts,
    driftReleases: DriftReleases,
  ) {
    super(standings, pullRequests, drift, driftStarts, driftReleases);
  }
}

@ApiTags('code hosting')
@Controller('gitlab/installations/:installationId')
@InstallationsOf('gitlab')
@ApiParam(INSTALLATION_ID)
@UseGuards(InstallationGuard)
export class GitlabRunOverviewsController extends RunOverviewsController {
  constructor(
    standings: RunStandings,
    pullRequests: PullRequestOverviews,
    drift: DriftOverviewQueries,
    driftStarts: DriftStarts,
    driftReleases: DriftReleases,
  ) {
    super(standings, pullRequests, drift, driftStarts, driftReleases);
  }
}
