import { Body, Controller, Delete, Get, Post, Query, UseGuards } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Answers, Refuses, RequiredQuery } from '../../platform/http/index.js';
import { Accepts, AcceptsOnly, Caller, type Principal, SignedIn } from '../access/index.js';
import {
  CreateRefreshTokenBody,
  ListRefreshTokensQuery,
  NewRefreshTokenView,
  NewTokenView,
  RefreshTokenListView,
} from './dto/tokens.dto.js';
import type { Vcs } from './entities/refresh-token.entity.js';
import { EnterpriseGuard, TokenManagementGuard } from './refresh-tokens.guards.js';
import { RefreshTokensService } from './refresh-tokens.service.js';

/** The same routes for each code-hosting provider. */
abstract class RefreshTokensController {
  protected abstract readonly vcs: Vcs;

  constructor(private readonly tokens: RefreshTokensService) {}

  /** Creates a refresh token; its value is shown once. */
  @Post('access-token')
  @SignedIn()
  @Accepts('access')
  @Answers(200, NewRefreshTokenView)
  @Refuses(400, 403)
  async create(
    @Caller() caller: Principal,
    @Body() body: CreateRefreshTokenBody,
  ): Promise<NewRefreshTokenView> {
    return { refresh_token: await this.tokens.create(caller, this.vcs, body.name, body.capabilities) };
  }

  /** Lists the caller's refresh tokens. */
  @Get('access-token')
  @SignedIn()
  @Accepts('access')
  @Answers(200, RefreshTokenListView)
  @Refuses(400, 403)
  async list(
    @Caller() caller: Principal,
    @Query() query: ListRefreshTokensQuery,
  ): Promise<RefreshTokenListView> {
    const { rows, next } = await this.tokens.list(caller, this.vcs, query.limit, query.page);
    const results = rows.map(({ id, name, capabilities }) => ({ id, name, capabilities }));
    return { results, ...(next === undefined ? {} : { next_page: next }) };
  }

  /** Revokes a refresh token. */
  @Delete('access-token')
  @SignedIn()
  @Accepts('access')
  @Answers(200)
  @Refuses(403, 404)
  async revoke(
    @Caller() caller: Principal,
    @Query('id', RequiredQuery) id: string,
  ): Promise<Record<string, never>> {
    await this.tokens.revoke(caller, this.vcs, id);
    return {};
  }
}

@ApiTags('tokens')
@Controller('github')
@UseGuards(EnterpriseGuard, TokenManagementGuard)
export class GithubRefreshTokensController extends RefreshTokensController {
  protected readonly vcs = 'github';

  constructor(tokens: RefreshTokensService) {
    super(tokens);
  }
}

@ApiTags('tokens')
@Controller('gitlab')
@UseGuards(EnterpriseGuard, TokenManagementGuard)
export class GitlabRefreshTokensController extends RefreshTokensController {
  protected readonly vcs = 'gitlab';

  constructor(tokens: RefreshTokensService) {
    super(tokens);
  }
}

@ApiTags('tokens')
@Controller('access-token')
@UseGuards(EnterpriseGuard)
export class AccessTokensController {
  constructor(private readonly tokens: RefreshTokensService) {}

  /** Exchanges a refresh token for an access token. Answers 403 unless the refresh token is valid. */
  @Post('refresh')
  @SignedIn()
  @AcceptsOnly(['refresh'], { otherwise: 403 })
  @Answers(200, NewTokenView)
  @Refuses(403)
  async refresh(@Caller() caller: Principal): Promise<NewTokenView> {
    return { token: await this.tokens.refresh(caller) };
  }
}
