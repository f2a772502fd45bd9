import {
  Body,
  Controller,
  Get,
  Headers,
  Param,
  ParseIntPipe,
  Post,
  Put,
  Req,
  Res,
  StreamableFile,
  UseGuards,
} from '@nestjs/common';
import { ApiBody, ApiNoContentResponse, ApiProduces, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import {
  Answers,
  arriving,
  LargeBody,
  leavingOf,
  Refuses,
  StreamedBody,
  DOCUMENT_PACE,
} from '../../../platform/http/index.js';
import {
  AcceptsOnly,
  Caller,
  credentialOf,
  OnlyWhile,
  type Principal,
  Public,
  SignedIn,
} from '../../access/index.js';
import {
  ClaimBody,
  ClaimedView,
  HeartbeatView,
  InitiateBody,
  InitiatedView,
  LogsBody,
  ResultsBody,
  ResultsView,
  StepsBody,
} from '../dto/runner.dto.js';
import { vcsErrors } from '../../vcs/index.js';
import type { RunnerPoolEntity } from '../entities/run-artifact.entities.js';
import { ClaimingPool, PoolTokenGuard } from './pool-token.guard.js';
import { RunnerClaims } from './runner-claims.js';
import { RunnerPlanFiles } from './runner-plan-files.js';
import { RunnerService } from './runner.service.js';
import { RunWork } from './run-work.js';
import { WorkTokenGuard } from './work-token.guard.js';

const MAX_REPORT_BYTES = 64 * 1024 * 1024;
const WORK = { type: 'object', additionalProperties: true };
const NOTHING = { type: 'object', additionalProperties: false };

/** The protocol between the service and runners (docs/orchestration.md). */
@ApiTags('runners')
@Controller('runner')
@OnlyWhile('SERVICE_ORCHESTRATION_ENABLED', vcsErrors.ORCHESTRATION_DISABLED)
export class RunnerController {
  constructor(
    private readonly runner: RunnerService,
    private readonly work: RunWork,
    private readonly claims: RunnerClaims,
    private readonly planFiles: RunnerPlanFiles,
  ) {}

  /** Begins a run with its work token, which works once, for one runner, and for no other route. */
  @Post('initiate')
  @Public()
  @UseGuards(WorkTokenGuard)
  @Answers(200, InitiatedView)
  @Refuses(400, 401, 409, 503)
  initiate(@Headers() headers: Record<string, string>, @Body() body: InitiateBody): Promise<InitiatedView> {
    return this.runner.initiate(credentialOf(headers), body);
  }

  /** Claims a run of the pool's tenant, and waits for one when asked to. */
  @Post('claim')
  @Public()
  @UseGuards(PoolTokenGuard)
  @Answers(200, ClaimedView)
  @ApiNoContentResponse({ description: 'nothing to do' })
  @Refuses(400, 401, 503)
  async claim(
    @ClaimingPool() pool: RunnerPoolEntity,
    @Body() body: ClaimBody,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ClaimedView | undefined> {
    const claimed = await this.claims.claim(pool, body, leavingOf(response));
    response.status(claimed ? 200 : 204);
    return claimed;
  }

  /** Shows the work of the run. */
  @Get('work')
  @SignedIn()
  @AcceptsOnly(['run'])
  @Answers(200, WORK)
  @Refuses(409)
  async describe(@Caller() caller: Principal): Promise<Record<string, unknown>> {
    const hasCheckout = caller.claims['hasCheckout'] === true;
    return this.work.describe(await this.runner.running(caller), { hasCheckout });
  }

  /** Reports that the runner is alive, and renews its token. */
  @Post('heartbeat')
  @SignedIn()
  @AcceptsOnly(['run'])
  @Answers(200, HeartbeatView)
  @Refuses(409)
  heartbeat(@Caller() caller: Principal): Promise<HeartbeatView> {
    return this.runner.heartbeat(caller);
  }

  /** Receives steps that ended, in any order. */
  @Post('steps')
  @SignedIn()
  @AcceptsOnly(['run'])
  @LargeBody('json', MAX_REPORT_BYTES)
  @Answers(200, NOTHING)
  @Refuses(400, 409, 413)
  async steps(@Caller() caller: Principal, @Body() body: StepsBody): Promise<object> {
    await this.runner.reportSteps(caller, body.steps);
    return {};
  }

  /** Stores the output of a run while it is printed. */
  @Post('logs')
  @SignedIn()
  @AcceptsOnly(['run'])
  @LargeBody('json', MAX_REPORT_BYTES)
  @Answers(200, NOTHING)
  @Refuses(400, 409, 413)
  async logs(@Caller() caller: Principal, @Body() body: LogsBody): Promise<object> {
    await this.runner.appendLog(caller, body.chunks);
    return {};
  }

  /** Stores the plan file of a dirspace. `n` is its number in `dirspaces` of the work. */
  @Put('dirspaces/:n/plan')
  @SignedIn()
  @AcceptsOnly(['run'])
  @StreamedBody()
  @ApiBody({ required: true, schema: { type: 'string', format: 'binary' } })
  @Answers(204)
  @Refuses(400, 409, 413)
  async storePlan(
    @Caller() caller: Principal,
    @Param('n', ParseIntPipe) n: number,
    @Req() request: Request,
  ): Promise<void> {
    await this.planFiles.store(await this.runner.running(caller), n, arriving(request, DOCUMENT_PACE));
  }

  /** Downloads the plan file for the apply that uses it. */
  @Get('dirspaces/:n/plan')
  @SignedIn()
  @AcceptsOnly(['run'])
  @ApiProduces('application/octet-stream')
  @Answers(200, { type: 'string', format: 'binary' })
  @Refuses(400, 404, 409)
  async readPlan(
    @Caller() caller: Principal,
    @Param('n', ParseIntPipe) n: number,
    @Res({ passthrough: true }) response: Response,
  ): Promise<StreamableFile> {
    return this.planFiles.read(await this.runner.running(caller), n, response);
  }

  /** Receives the last report, which ends the run. */
  @Post('results')
  @SignedIn()
  @AcceptsOnly(['run'])
  @Answers(200, ResultsView)
  @Refuses(400, 409)
  async results(@Caller() caller: Principal, @Body() body: ResultsBody): Promise<ResultsView> {
    await this.runner.finish(caller, body);
    return { state: 'completed' };
  }
}
