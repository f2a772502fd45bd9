import { Controller, Get, Param, Query, UseGuards } from '@nestjs/common';
import { ApiParam, ApiTags } from '@nestjs/swagger';
import { Answers, AnswersPage, Refuses, TokenPage } from '../../../platform/http/index.js';
import { SignedIn } from '../../access/index.js';
import {
  EnteredInstallation,
  InstallationGuard,
  InstallationsOf,
  type LinkedInstallation,
} from '../../vcs/index.js';
import {
  DirspaceListView,
  ListOutputsQuery,
  ListRunsQuery,
  StepListView,
  WorkManifestListView,
  WorkManifestView,
} from '../dto/work-manifest.dto.js';
import { RunRecords } from './run-records.service.js';

/** The same routes for each code-hosting provider; `InstallationGuard` decides who may see the installation. */
abstract class InstallationRunsController {
  constructor(private readonly records: RunRecords) {}

  /** Directories of runs, newest first. */
  @Get('dirspaces')
  @SignedIn()
  @AnswersPage(DirspaceListView)
  @Refuses(400, 403)
  async dirspaces(
    @EnteredInstallation() { id: installationId }: LinkedInstallation,
    @Query() query: ListRunsQuery,
  ): Promise<TokenPage<DirspaceListView>> {
    const page = await this.records.dirspaces(installationId, query);
    return new TokenPage({ dirspaces: page.rows }, page);
  }

  /** Runs, newest first. */
  @Get('work-manifests')
  @SignedIn()
  @AnswersPage(WorkManifestListView)
  @Refuses(400, 403)
  async workManifests(
    @EnteredInstallation() { id: installationId }: LinkedInstallation,
    @Query() query: ListRunsQuery,
  ): Promise<TokenPage<WorkManifestListView>> {
    const page = await this.records.workManifests(installationId, query);
    return new TokenPage({ work_manifests: page.rows }, page);
  }

  /** A run. */
  @Get('work-manifests/:workManifestId')
  @SignedIn()
  @Answers(200, WorkManifestView)
  @Refuses(403, 404)
  async workManifest(
    @EnteredInstallation() { id: installationId }: LinkedInstallation,
    @Param('workManifestId') id: string,
  ): Promise<WorkManifestView> {
    return this.records.workManifest(installationId, id);
  }

  /** Steps of a run with what they said. */
  @Get('work-manifests/:workManifestId/outputs')
  @SignedIn()
  @AnswersPage(StepListView)
  @Refuses(400, 403, 404)
  async outputs(
    @EnteredInstallation() { id: installationId }: LinkedInstallation,
    @Param('workManifestId') id: string,
    @Query() query: ListOutputsQuery,
  ): Promise<TokenPage<StepListView>> {
    const page = await this.records.outputs(installationId, id, query);
    return new TokenPage({ steps: page.rows }, page);
  }
}

@ApiTags('code hosting')
@Controller('github/installations/:installationId')
@InstallationsOf('github')
@ApiParam({ name: 'installationId', type: String, description: "the provider's own id" })
@UseGuards(InstallationGuard)
export class GithubRunsController extends InstallationRunsController {
  constructor(records: RunRecords) {
    super(records);
  }
}

@ApiTags('code hosting')
@Controller('gitlab/installations/:installationId')
@InstallationsOf('gitlab')
@ApiParam({ name: 'installationId', type: String, description: "the provider's own id" })
@UseGuards(InstallationGuard)
export class GitlabRunsController extends InstallationRunsController {
  constructor(records: RunRecords) {
    super(records);
  }
}
