import { Body, Controller, Post, Req } from '@nestjs/common';
import { ApiBody, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { Answers, LargeBody, Refuses } from '../../platform/http/index.js';
import { AcceptsOnly, Caller, credentialOf, type Principal, SignedIn } from '../access/index.js';
import { Tasks } from '../tasks/index.js';
import { RunnerReports } from './runner-reports.service.js';
import { PreviewView, ReportView } from './dto/runner-report.dto.js';

const REASON = {
  type: 'object' as const,
  required: ['code', 'message'],
  properties: {
    code: {
      type: 'string' as const,
      enum: ['exec_failed', 'timeout', 'refused', 'plan_stale', 'state_write_failed'],
    },
    message: { type: 'string' as const },
  },
};
const REPORT = {
  type: 'object' as const,
  required: ['idx', 'request'],
  properties: {
    idx: { type: 'integer' as const, minimum: 0 },
    request: {
      type: 'object' as const,
      required: ['kind'],
      properties: {
        kind: {
          type: 'string' as const,
          enum: ['preview', 'commit', 'commit_failed', 'failure', 'chunk', 'done'],
        },
        has_changes: { type: 'boolean' as const },
        plan: { type: 'string' as const },
        plan_json: { type: 'object' as const, additionalProperties: true },
        output: { type: 'string' as const },
        state: { type: 'object' as const, additionalProperties: true },
        failure: { type: 'object' as const, properties: { reason: REASON } },
        reason: REASON,
        data: { type: 'string' as const },
      },
    },
  },
};

/** A larger report comes in parts. */
const LARGEST_REPORT = 64 * 1024 * 1024;

/** What a runner tells of its step. */
@ApiTags('actuator')
@Controller('actuator')
export class RunnerReportsController {
  constructor(
    private readonly reports: RunnerReports,
    private readonly tasks: Tasks,
  ) {}

  /** Receives a runner's report, whole or in parts. A repeated report has no further effect. */
  @Post('results')
  @SignedIn()
  @AcceptsOnly(['bundle'])
  @LargeBody('bytes', LARGEST_REPORT)
  @ApiBody({ schema: REPORT })
  @Answers(200, ReportView)
  @Refuses(400, 404, 409, 413)
  async results(
    @Caller() caller: Principal,
    @Body() body: unknown,
    @Req() request: Request,
  ): Promise<ReportView> {
    const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
    const taskId = await this.reports.take(caller, bytes, credentialOf(request.headers) ?? '');
    return { task: await this.tasks.stateOf(taskId) };
  }

  /** Shows the plan that was reported. */
  @Post('preview')
  @SignedIn()
  @AcceptsOnly(['bundle'])
  @Answers(200, PreviewView)
  @Refuses(404)
  async preview(@Caller() caller: Principal): Promise<PreviewView> {
    return this.reports.plan(caller);
  }
}
