import { Body, Controller, Get, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Answers, AnswersPage, pageLimit, Refuses, TokenPage } from '../../../platform/http/index.js';
import { Caller, Entered, type Principal, Requires, RequiresMember } from '../../access/index.js';
import { sendDocument } from './document-response.js';
import {
  AcceptSubmissionBody,
  ListSubmissionsQuery,
  PageQuery,
  SubmissionDiffView,
  SubmissionListView,
  VersionDiffQuery,
  VersionDiffView,
  StateVersionListView,
} from '../dto/version.dto.js';
import { WriteView } from '../dto/write.dto.js';
import type { StateEntity } from '../entities/state.entity.js';
import { StateQueries } from '../states.queries.js';
import { StateRestoration } from './state-restoration.service.js';
import { StateVersionsService } from './state-versions.service.js';
import { toSubmissionView, toVersionView, toWriteView } from '../state.view.js';
import { SubmissionAcceptance } from './submission-acceptance.service.js';
import { SubmissionQueries } from '../submission.queries.js';
import { StatesService } from '../states.service.js';
import { stateErrors } from '../states.errors.js';
import { isUuid } from '../../../platform/text/uuid.js';

const DOCUMENT = { type: 'object', additionalProperties: true };

@ApiTags('versions')
@Controller('states/:stateId')
export class StateVersionsController {
  constructor(
    private readonly versions: StateVersionsService,
    private readonly states: StatesService,
    private readonly queries: StateQueries,
    private readonly submissions: SubmissionQueries,
    private readonly acceptance: SubmissionAcceptance,
    private readonly restoration: StateRestoration,
  ) {}

  /** Lists a state's versions, newest first. */
  @Get('versions')
  @RequiresMember({ state: 'stateId' })
  @AnswersPage(StateVersionListView)
  @Refuses(400)
  async list(
    @Param('stateId') stateId: string,
    @Query() query: PageQuery,
  ): Promise<TokenPage<StateVersionListView>> {
    const { rows, next } = await this.queries.versions(
      stateId,
      pageLimit(query.limit, 100, 1000),
      query.page,
    );
    return new TokenPage({ results: rows.map(toVersionView) }, { next });
  }

  /** Downloads the document of one version. */
  @Get('versions/:serial')
  @RequiresMember({ state: 'stateId' })
  @Answers(200, DOCUMENT)
  async document(
    @Entered() { id: stateId, tenantId }: StateEntity,
    @Param('serial') serial: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await sendDocument(request, response, await this.versions.document({ stateId, tenantId }, serial));
  }

  /** Compares two versions instance by instance. */
  @Get('versions/:from/diff/:to')
  @RequiresMember({ state: 'stateId' })
  @Answers(200, VersionDiffView)
  @Refuses(400)
  async diff(
    @Param('stateId') stateId: string,
    @Param('from') from: string,
    @Param('to') to: string,
    @Query() query: VersionDiffQuery,
  ): Promise<VersionDiffView> {
    const { tenantId } = await this.states.get(stateId);
    return this.versions.difference(tenantId, stateId, {
      from,
      to,
      limit: pageLimit(query.limit, 1000, 10_000),
    });
  }

  /** Writes the document of an older version as the new current one. */
  @Post('versions/:serial/restore')
  @Requires('admin', { state: 'stateId' })
  @Answers(200, WriteView)
  @Refuses(400)
  async restore(
    @Caller() caller: Principal,
    @Param('stateId') stateId: string,
    @Param('serial') serial: string,
  ): Promise<WriteView> {
    return toWriteView(await this.restoration.restore(caller, stateId, serial));
  }

  /** Lists documents that were refused or merged, newest first. */
  @Get('submissions')
  @RequiresMember({ state: 'stateId' })
  @AnswersPage(SubmissionListView)
  @Refuses(400)
  async listSubmissions(
    @Param('stateId') stateId: string,
    @Query() query: ListSubmissionsQuery,
  ): Promise<TokenPage<SubmissionListView>> {
    const { rows, next } = await this.submissions.ofState(
      stateId,
      query.status,
      pageLimit(query.limit, 100, 1000),
      query.page,
    );
    return new TokenPage({ results: rows.map(toSubmissionView) }, { next });
  }

  /** Shows what the writer of a submission changed against the version it started from. */
  @Get('submissions/:submissionId/diff')
  @RequiresMember({ state: 'stateId' })
  @Answers(200, SubmissionDiffView)
  @Refuses(400)
  async submissionDiff(
    @Param('stateId') stateId: string,
    @Param('submissionId') submissionId: string,
    @Query() query: VersionDiffQuery,
  ): Promise<SubmissionDiffView> {
    if (!isUuid(submissionId)) throw stateErrors.SUBMISSION_NOT_FOUND();
    const { tenantId } = await this.states.get(stateId);
    const limit = pageLimit(query.limit, 1000, 10_000);
    return this.versions.submissionDifference({ stateId, tenantId }, submissionId, limit);
  }

  /** Downloads a submitted document as it came. */
  @Get('submissions/:submissionId')
  @RequiresMember({ state: 'stateId' })
  @Answers(200, DOCUMENT)
  async submission(
    @Entered() { id: stateId, tenantId }: StateEntity,
    @Param('submissionId') submissionId: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    if (!isUuid(submissionId)) throw stateErrors.SUBMISSION_NOT_FOUND();
    await sendDocument(
      request,
      response,
      await this.versions.submission({ stateId, tenantId }, submissionId),
    );
  }

  /** Merges a refused document against the version that its writer started from. */
  @Post('submissions/:submissionId/accept')
  @Requires('commit', { state: 'stateId' })
  @Answers(200, WriteView)
  @Refuses(400, 409)
  async acceptSubmission(
    @Caller() caller: Principal,
    @Param('stateId') stateId: string,
    @Param('submissionId') submissionId: string,
    @Body() body: AcceptSubmissionBody,
  ): Promise<WriteView> {
    if (!isUuid(submissionId)) throw stateErrors.SUBMISSION_NOT_FOUND();
    return toWriteView(await this.acceptance.accept(caller, stateId, submissionId, body.base_version));
  }
}
