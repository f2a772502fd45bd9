import { Controller, Get, Param, Query, StreamableFile, UseGuards } from '@nestjs/common';
import { ApiParam, ApiTags } from '@nestjs/swagger';
import { Answers, Refuses } from '../../../platform/http/index.js';
import { SignedIn } from '../../access/index.js';
import {
  EnteredInstallation,
  InstallationGuard,
  InstallationsOf,
  type LinkedInstallation,
} from '../../vcs/index.js';
import { ReadLogQuery, RunLogView } from '../dto/runner.dto.js';
import { RunLogs } from './run-logs.service.js';

abstract class RunLogController {
  constructor(private readonly logs: RunLogs) {}

  /** Shows what a run printed after a chunk. Poll with the last number until `done`. */
  @Get(':workManifestId/log')
  @SignedIn()
  @Answers(200, RunLogView)
  @Refuses(400, 403, 404)
  read(
    @EnteredInstallation() { id: installationId }: LinkedInstallation,
    @Param('workManifestId') id: string,
    @Query() { after }: ReadLogQuery,
  ): Promise<StreamableFile> {
    return this.logs.after(installationId, id, after ?? -1);
  }
}

@ApiTags('code hosting')
@Controller('github/installations/:installationId/work-manifests')
@InstallationsOf('github')
@ApiParam({ name: 'installationId', type: String, description: "the provider's own id" })
@UseGuards(InstallationGuard)
export class GithubRunLogController extends RunLogController {
  constructor(logs: RunLogs) {
    super(logs);
  }
}

@ApiTags('code hosting')
@Controller('gitlab/installations/:installationId/work-manifests')
@InstallationsOf('gitlab')
@ApiParam({ name: 'installationId', type: String, description: "the provider's own id" })
@UseGuards(InstallationGuard)
export class GitlabRunLogController extends RunLogController {
  constructor(logs: RunLogs) {
    super(logs);
  }
}
