import { Controller, Delete, Get, Param, Post, Query, UseGuards } from '@nestjs/common';
import { ApiParam, ApiTags } from '@nestjs/swagger';
import { Answers, AnswersPage, Refuses, TokenPage } from '../../../platform/http/index.js';
import { Caller, OnlyWhile, type Principal, SignedIn } from '../../access/index.js';
import { NoContentView } from '../dto/installations.dto.js';
import {
  ListPullRequestsQuery,
  ListQuery,
  PullRequestListView,
  RepositoryListView,
  RepositorySetupView,
} from '../dto/repositories.dto.js';
import { RepositoryRefreshView } from '../dto/refresh.dto.js';
import { VcsSettings } from '../hosts/vcs-settings.js';
import {
  EnteredInstallation,
  InstallationGuard,
  InstallationsOf,
  type LinkedInstallation,
} from '../installations/installation.guard.js';
import { vcsErrors } from '../vcs.errors.js';
import { listLimit } from './keyset-page.js';
import { RepositoriesService } from './repositories.service.js';
import { RepositoryQueries } from './repositories.queries.js';

const whileEnabled = OnlyWhile('SERVICE_ORCHESTRATION_ENABLED', vcsErrors.ORCHESTRATION_DISABLED);
const INSTALLATION_ID = { name: 'installationId', type: String, description: "the provider's own id" };

/** The same routes for each provider, for members of the tenant that the installation is linked to. */
abstract class RepositoriesController {
  constructor(
    private readonly repositories: RepositoriesService,
    private readonly queries: RepositoryQueries,
    private readonly settings: VcsSettings,
  ) {}

  /** Lists an installation's repositories by name. */
  @Get('repos')
  @SignedIn()
  @AnswersPage(RepositoryListView)
  @Refuses(400, 403)
  async list(
    @EnteredInstallation() installation: LinkedInstallation,
    @Query() { page, limit }: ListQuery,
  ): Promise<TokenPage<RepositoryListView>> {
    const found = await this.queries.listRepositories(installation, page, listLimit(limit));
    return new TokenPage({ repositories: found.rows }, found);
  }

  /** Starts a task that loads every repository from the provider. */
  @Post('repos/refresh')
  @SignedIn()
  @whileEnabled
  @Answers(200, RepositoryRefreshView)
  @Refuses(403, 503)
  async refresh(
    @Caller() caller: Principal,
    @EnteredInstallation() installation: LinkedInstallation,
  ): Promise<RepositoryRefreshView> {
    return this.repositories.refresh(caller, installation);
  }

  /** Checks at the provider whether a repository has the files that it needs. */
  @Get('repos/:repoId/setup')
  @SignedIn()
  @Answers(200, RepositorySetupView)
  @Refuses(400, 403, 502, 503)
  async showSetup(
    @EnteredInstallation() installation: LinkedInstallation,
    @Param('repoId') repoId: string,
  ): Promise<RepositorySetupView> {
    const { hasWorkflow, hasConfiguration, workflowFile } = await this.repositories.findSetup(
      installation,
      repoId,
    );
    return {
      workflow: hasWorkflow,
      configuration: hasConfiguration,
      ...(workflowFile === undefined ? {} : { workflow_file: workflowFile }),
    };
  }

  /** Removes an archived repository with its pull requests, runs and outputs. */
  @Delete('repos/:repoId')
  @SignedIn()
  @whileEnabled
  @Answers(200, NoContentView)
  @Refuses(400, 403, 502, 503)
  async remove(
    @Caller() caller: Principal,
    @EnteredInstallation() installation: LinkedInstallation,
    @Param('repoId') repoId: string,
  ): Promise<NoContentView> {
    await this.repositories.remove(caller, installation, repoId);
    return {};
  }

  /** Lists an installation's pull requests, newest numbers first. */
  @Get('pull-requests')
  @SignedIn()
  @AnswersPage(PullRequestListView)
  @Refuses(400, 403)
  async listPullRequests(
    @EnteredInstallation() installation: LinkedInstallation,
    @Query() { page, limit, pr }: ListPullRequestsQuery,
  ): Promise<TokenPage<PullRequestListView>> {
    const number = pr === undefined ? undefined : Number(pr);
    const found = await this.queries.listPullRequests(installation, {
      page,
      limit: listLimit(limit),
      number,
    });
    return new TokenPage({ pull_requests: found.rows }, found);
  }
}

@ApiTags('code hosting')
@Controller('github/installations/:installationId')
@InstallationsOf('github')
@ApiParam(INSTALLATION_ID)
@UseGuards(InstallationGuard)
export class GithubRepositoriesController extends RepositoriesController {
  constructor(repositories: RepositoriesService, queries: RepositoryQueries, settings: VcsSettings) {
    super(repositories, queries, settings);
  }
}

@ApiTags('code hosting')
@Controller('gitlab/installations/:installationId')
@InstallationsOf('gitlab')
@ApiParam(INSTALLATION_ID)
@UseGuards(InstallationGuard)
export class GitlabRepositoriesController extends RepositoriesController {
  constructor(repositories: RepositoriesService, queries: RepositoryQueries, settings: VcsSettings) {
    super(repositories, queries, settings);
  }
}
