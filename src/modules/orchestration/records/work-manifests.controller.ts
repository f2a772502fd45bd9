import { Controller, Get, Param, Query, Res, UseGuards } from '@nestjs/common';
import { ApiParam, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Answers, Refuses } from '../../../platform/http/index.js';
import { SignedIn } from '../../access/index.js';
import {
  DirspaceListView,
  ListOutputsQuery,
  ListRunsQuery,
  StepListView,
  WorkManifestListView,
  WorkManifestView,
} from '../dto/work-manifest.dto.js';
import { EnteredInstallation, InstallationEntry, InstallationsOf } from './installation-entry.js';
import { RunRecords } from './run-records.service.js';

/** The same routes for each code-hosting provider; `InstallationEntry` decides who may see the installation. */
abstract class InstallationRunsController {
  constructor(private readonly records: RunRecords) {}

  /** Directories of runs, newest first. */
  @Get('dirspaces')
  @SignedIn()
  @Answers(200, DirspaceListView)
  @Refuses(400, 403)
  async dirspaces(
    @EnteredInstallation() installation: string,
    @Query() query: ListRunsQuery,
    @Res({ passthrough: true }) response: Response,
  ): Promise<DirspaceListView> {
    const page = await this.records.dirspaces(installation, query);
    this.records.link(page, response);
    return { dirspaces: page.rows };
  }

  /** Runs, newest first. */
  @Get('work-manifests')
  @SignedIn()
  @Answers(200, WorkManifestListView)
  @Refuses(400, 403)
  async workManifests(
    @EnteredInstallation() installation: string,
    @Query() query: ListRunsQuery,
    @Res({ passthrough: true }) response: Response,
  ): Promise<WorkManifestListView> {
    const page = await this.records.workManifests(installation, query);
    this.records.link(page, response);
    return { work_manifests: page.rows };
  }

  /** A run. */
  @Get('work-manifests/:workManifestId')
  @SignedIn()
  @Answers(200, WorkManifestView)
  @Refuses(403, 404)
  async workManifest(
    @EnteredInstallation() installation: string,
    @Param('workManifestId') id: string,
  ): Promise<WorkManifestView> {
    return this.records.workManifest(installation, id);
  }

  /** Steps of a run with what they said. */
  @Get('work-manifests/:workManifestId/outputs')
  @SignedIn()
  @Answers(200, StepListView)
  @Refuses(400, 403, 404)
  async outputs(
    @EnteredInstallation() installation: string,
    @Param('workManifestId') id: string,
    @Query() query: ListOutputsQuery,
    @Res({ passthrough: true }) response: Response,
  ): Promise<StepListView> {
    const page = await this.records.outputs(installation, id, query);
    this.records.link(page, response);
    return { steps: page.rows };
  }
}

@ApiTags('code hosting')
@Controller('github/installations/:installationId')
@InstallationsOf('github')
@ApiParam({ name: 'installationId', type: String, description: "the provider's own id" })
@UseGuards(InstallationEntry)
export class GithubRunsController extends InstallationRunsController {
  constructor(records: RunRecords) {
    super(records);
  }
}

@ApiTags('code hosting')
@Controller('gitlab/installations/:installationId')
@InstallationsOf('gitlab')
@ApiParam({ name: 'installationId', type: String, description: "the provider's own id" })
@UseGuards(InstallationEntry)
export class GitlabRunsController extends InstallationRunsController {
  constructor(records: RunRecords) {
    super(records);
  }
}
