import { Body, Controller, Get, Post, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Answers, Refuses } from '../../platform/http/index.js';
import { AcceptsOnly, Caller, type Principal, SignedIn } from '../access/index.js';
import { Tasks, TaskStartedView } from '../tasks/index.js';
import { BundleRequests } from './bundle-requests.service.js';
import { Bundles } from './bundles.service.js';
import {
  BundleCursorsBody,
  BundlePageBody,
  BundlePagesView,
  GenerateBundleBody,
  RunnerParamsView,
} from './dto/bundle.dto.js';

const ENTRIES = 1_000;
const TEXT = { type: 'string' };
const BUNDLE = {
  type: 'object',
  required: ['hcl', 'state', 'files'],
  properties: {
    hcl: {
      type: 'array',
      items: {
        type: 'object',
        required: ['file', 'module', 'data'],
        properties: { file: TEXT, module: TEXT, data: { type: 'object', additionalProperties: true } },
      },
    },
    state: { type: 'object', additionalProperties: true, description: 'a version 4 document' },
    files: {
      type: 'array',
      items: {
        type: 'object',
        required: ['filepath', 'module', 'content', 'content_hash', 'mode'],
        properties: {
          filepath: TEXT,
          module: TEXT,
          content: { ...TEXT, description: 'base64' },
          content_hash: TEXT,
          mode: { oneOf: [TEXT, { type: 'integer' }] },
        },
      },
    },
    cursor: { ...TEXT, description: 'of the next page; absent at the end' },
  },
};

/** What a runner needs for its step. */
@ApiTags('actuator')
@Controller('actuator')
export class BundlesController {
  constructor(
    private readonly requests: BundleRequests,
    private readonly bundles: Bundles,
    private readonly tasks: Tasks,
  ) {}

  /** Generates the bundle of a runner's step. A commit reuses the bundle of its plan. */
  @Post('bundle/generate')
  @SignedIn()
  @AcceptsOnly(['bundle'])
  @Answers(200, TaskStartedView)
  @Refuses(400, 404, 409)
  async generate(
    @Caller() caller: Principal,
    @Body() { task_id: taskId }: GenerateBundleBody,
  ): Promise<TaskStartedView> {
    return this.tasks.stateOf(await this.requests.begin(caller, taskId));
  }

  /** Lists the pages of the bundle, which can be fetched in any order and at the same time. */
  @Post('bundle/cursors')
  @SignedIn()
  @AcceptsOnly(['bundle'])
  @Answers(200, BundlePagesView)
  @Refuses(400, 404)
  async cursors(
    @Caller() caller: Principal,
    @Body() { limit = ENTRIES }: BundleCursorsBody,
  ): Promise<BundlePagesView> {
    return { pages: await this.bundles.cursors(caller, limit) };
  }

  /** One page. Every page has the head of the state, so that pages are put together by joining their lists. */
  @Post('bundle')
  @SignedIn()
  @AcceptsOnly(['bundle'])
  @Answers(200, BUNDLE)
  @Refuses(400, 404, 409)
  async page(
    @Caller() caller: Principal,
    @Body() { limit = ENTRIES, cursor }: BundlePageBody,
    @Res() response: Response,
  ): Promise<void> {
    response.type('application/json').send(await this.bundles.page(caller, limit, cursor));
  }

  /** Shows the parameters of the runner's step. */
  @Get('params')
  @SignedIn()
  @AcceptsOnly(['bundle'])
  @Answers(200, RunnerParamsView)
  async params(@Caller() caller: Principal): Promise<RunnerParamsView> {
    return this.bundles.params(caller);
  }
}
