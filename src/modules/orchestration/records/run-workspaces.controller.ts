import { Controller, Get, Param, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Answers, Refuses } from '../../../platform/http/index.js';
import { Caller, type Principal, SignedIn } from '../../access/index.js';
import { WorkspaceView } from '../dto/work-manifest.dto.js';
import { RunRecords } from './run-records.service.js';

const WORKSPACES = { type: 'array', items: { $ref: '#/components/schemas/WorkspaceView' } };

/** Its address has the provider before the version: `/api/github/v1/work-manifests/{id}/workspaces`. */
@ApiTags('code hosting')
@Controller('api/github/v1/work-manifests')
export class RunWorkspacesController {
  constructor(private readonly records: RunRecords) {}

  /** Workspaces of a running work manifest. */
  @Post(':workManifestId/workspaces')
  @SignedIn()
  @Answers(200, WORKSPACES)
  @Refuses(403, 404)
  async list(@Caller() caller: Principal, @Param('workManifestId') id: string): Promise<WorkspaceView[]> {
    return this.records.workspaces(caller, id);
  }

  /** The same route for clients that only read. */
  @Get(':workManifestId/workspaces')
  @SignedIn()
  @Answers(200, WORKSPACES)
  @Refuses(403, 404)
  async read(@Caller() caller: Principal, @Param('workManifestId') id: string): Promise<WorkspaceView[]> {
    return this.records.workspaces(caller, id);
  }
}
