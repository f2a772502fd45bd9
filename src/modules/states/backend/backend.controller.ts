import { Controller, Get, Lock, Param, Post, Query, Req, Res, Unlock } from '@nestjs/common';
import { ApiBody, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Answers, Refuses, StreamedBody } from '../../../platform/http/index.js';
import { Accepts, Caller, type Principal, SignedIn } from '../../access/index.js';
import { documentBodyOf, lockBodyOf, viewOf } from './backend-request.js';
import { BackendLocking } from './backend-locking.service.js';
import { BackendService } from './backend.service.js';
import { ClientConnections } from '../writing/client-connections.js';
import { clientRunOf } from '../writing/client-run.js';
import { sendDocument } from '../history/document-response.js';
import { WriteView } from '../dto/write.dto.js';
import { toWriteView } from '../state.view.js';

const DOCUMENT = { type: 'object', description: 'a state document', additionalProperties: true };
const DEFAULT_WORKSPACE = 'default';

/** The address of Terraform's `http` backend. Who may do what depends on the state, see BackendTargets. */
@ApiTags('backend')
@Controller('states/backend/:groupId')
export class BackendController {
  constructor(
    private readonly backend: BackendService,
    private readonly locking: BackendLocking,
    private readonly connections: ClientConnections,
  ) {}

  /** Reads the document of a group's default workspace. */
  @Get()
  @SignedIn()
  @Accepts('tx', 'run', 'run-state')
  @ApiQuery({ name: 'view', required: false, enum: ['outputs'] })
  @Answers(200, DOCUMENT)
  @Refuses(400, 403, 404, 409)
  async readDefault(
    @Caller() caller: Principal,
    @Param('groupId') groupId: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await this.read(caller, groupId, DEFAULT_WORKSPACE, request, response);
  }

  /** Reads the document of a workspace. */
  @Get(':workspace')
  @SignedIn()
  @Accepts('tx', 'run', 'run-state')
  @ApiQuery({ name: 'view', required: false, enum: ['outputs'] })
  @Answers(200, DOCUMENT)
  @Refuses(400, 403, 404, 409)
  async read(
    @Caller() caller: Principal,
    @Param('groupId') groupId: string,
    @Param('workspace') workspace: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const view = viewOf(request);
    await sendDocument(
      request,
      response,
      await this.backend.read(caller, groupId, workspace, {
        view,
        run: clientRunOf(request, caller, this.connections),
      }),
    );
  }

  /** Writes the document of a group's default workspace. */
  @Post()
  @StreamedBody()
  @SignedIn()
  @Accepts('tx', 'run', 'run-state')
  @ApiBody({ schema: DOCUMENT })
  @ApiQuery({ name: 'force', required: false, enum: ['true', 'false'] })
  @Answers(200, WriteView)
  @Refuses(400, 403, 409, 413, 503)
  async writeDefault(
    @Caller() caller: Principal,
    @Param('groupId') groupId: string,
    @Query('force') force: unknown,
    @Req() request: Request,
  ): Promise<WriteView> {
    return this.write(caller, groupId, DEFAULT_WORKSPACE, force, request);
  }

  /** Writes the document of a workspace. */
  @Post(':workspace')
  @StreamedBody()
  @SignedIn()
  @Accepts('tx', 'run', 'run-state')
  @ApiBody({ schema: DOCUMENT })
  @ApiQuery({ name: 'force', required: false, enum: ['true', 'false'] })
  @Answers(200, WriteView)
  @Refuses(400, 403, 409, 413, 503)
  async write(
    @Caller() caller: Principal,
    @Param('groupId') groupId: string,
    @Param('workspace') workspace: string,
    @Query('force') force: unknown,
    @Req() request: Request,
  ): Promise<WriteView> {
    const run = clientRunOf(request, caller, this.connections);
    return toWriteView(
      await this.backend.write(caller, groupId, workspace, {
        body: documentBodyOf(request),
        run,
        force: force === 'true',
      }),
    );
  }

  /** Locks the state of a group's default workspace. */
  @Lock()
  @StreamedBody()
  @SignedIn()
  @Accepts('tx')
  @Refuses(400, 403, 409, 423, 503)
  async lockDefault(
    @Caller() caller: Principal,
    @Param('groupId') groupId: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await this.lock(caller, groupId, DEFAULT_WORKSPACE, request, response);
  }

  /** Locks the state of a workspace. */
  @Lock(':workspace')
  @StreamedBody()
  @SignedIn()
  @Accepts('tx')
  @Refuses(400, 403, 409, 423, 503)
  async lock(
    @Caller() caller: Principal,
    @Param('groupId') groupId: string,
    @Param('workspace') workspace: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const body = await lockBodyOf(request);
    const held = await this.locking.lock(caller, groupId, workspace, {
      info: body,
      run: clientRunOf(request, caller, this.connections),
    });
    // The client reads the holder from the body, as the holder described itself.
    response
      .status(held.mine ? 200 : 423)
      .type('application/json')
      .send(held.info);
  }

  /** Unlocks the state of a group's default workspace. */
  @Unlock()
  @StreamedBody()
  @SignedIn()
  @Accepts('tx')
  @Answers(200)
  @Refuses(400, 403, 409, 503)
  async unlockDefault(
    @Caller() caller: Principal,
    @Param('groupId') groupId: string,
    @Req() request: Request,
  ): Promise<void> {
    await this.unlock(caller, groupId, DEFAULT_WORKSPACE, request);
  }

  /** Unlocks the state of a workspace. */
  @Unlock(':workspace')
  @StreamedBody()
  @SignedIn()
  @Accepts('tx')
  @Answers(200)
  @Refuses(400, 403, 409, 503)
  async unlock(
    @Caller() caller: Principal,
    @Param('groupId') groupId: string,
    @Param('workspace') workspace: string,
    @Req() request: Request,
  ): Promise<void> {
    await this.locking.unlock(caller, groupId, workspace, await lockBodyOf(request));
  }
}
