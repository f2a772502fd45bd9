import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Answers, Refuses, RequiredQuery } from '../../platform/http/index.js';
import { Caller, LimitsCreation, type Principal, Requires, SignedIn } from '../access/index.js';
import { ApiKeyQueries } from './api-keys.queries.js';
import { ApiKeysService } from './api-keys.service.js';
import {
  ApiKeyListView,
  CreateApiKeyBody,
  CreateServiceAccountBody,
  NewTokenView,
  RevokedView,
  ServiceAccountView,
} from './dto/tokens.dto.js';
import { ServiceAccountsService } from './service-accounts.service.js';

@ApiTags('tokens')
@Controller()
export class TokensController {
  constructor(
    private readonly keys: ApiKeysService,
    private readonly queries: ApiKeyQueries,
    private readonly accounts: ServiceAccountsService,
  ) {}

  /** Creates an API key; its value is shown once. */
  @Post('user/access-tokens')
  @LimitsCreation('key', 1000)
  @Requires('access-token-create', 'anywhere')
  @Answers(201, NewTokenView)
  @Refuses(400)
  async create(@Caller() caller: Principal, @Body() body: CreateApiKeyBody): Promise<NewTokenView> {
    return { token: await this.keys.create(caller, body.name, body.capabilities) };
  }

  /** Lists the API keys that the caller may see. */
  @Get('user/access-tokens')
  @SignedIn()
  @Answers(200, ApiKeyListView)
  async list(@Caller() caller: Principal): Promise<ApiKeyListView> {
    return { tokens: await this.queries.list(caller) };
  }

  /** Revokes an API key. */
  @Post('user/access-tokens/revoke')
  @SignedIn()
  @Answers(200, RevokedView)
  @Refuses(404)
  async revoke(
    @Caller() caller: Principal,
    @Query('token_id', RequiredQuery) tokenId: string,
  ): Promise<RevokedView> {
    return { id: await this.keys.revoke(caller, tokenId), revoked: true };
  }

  /** Creates a service account and its API key; the key is shown once. */
  @Post('api-users')
  @Requires('users-manage', 'anywhere')
  @Answers(201, ServiceAccountView)
  @Refuses(400, 404)
  async createServiceAccount(
    @Caller() caller: Principal,
    @Body() body: CreateServiceAccountBody,
  ): Promise<ServiceAccountView> {
    const { userId, token } = await this.accounts.create(caller, body.name, body.tenant_id);
    return { user_id: userId, token };
  }
}
