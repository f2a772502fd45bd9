import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { CapabilitiesModule } from '../capabilities/index.js';
import { TenantsModule } from '../tenants/index.js';
import { UsersModule } from '../users/index.js';
import { ApiKeyQueries } from './api-keys.queries.js';
import { ApiKeysService } from './api-keys.service.js';
import { ApiKeyEntity } from './entities/api-key.entity.js';
import { RefreshTokenEntity } from './entities/refresh-token.entity.js';
import { LinkedAccounts } from './linked-accounts.service.js';
import {
  AccessTokensController,
  GithubRefreshTokensController,
  GitlabRefreshTokensController,
} from './refresh-tokens.controller.js';
import { RefreshTokensService } from './refresh-tokens.service.js';
import { ServiceAccountsService } from './service-accounts.service.js';
import { AccessTokenResolver, LiveRefreshTokens, RefreshTokenResolver } from './token.resolvers.js';
import { TokensController } from './tokens.controller.js';

@Module({
  imports: [
    CapabilitiesModule,
    TenantsModule,
    UsersModule,
    TypeOrmModule.forFeature([ApiKeyEntity, RefreshTokenEntity]),
  ],
  controllers: [
    TokensController,
    GithubRefreshTokensController,
    GitlabRefreshTokensController,
    AccessTokensController,
  ],
  providers: [
    AccessTokenResolver,
    ApiKeyQueries,
    ApiKeysService,
    LinkedAccounts,
    LiveRefreshTokens,
    RefreshTokenResolver,
    RefreshTokensService,
    ServiceAccountsService,
  ],
  exports: [LinkedAccounts],
})
export class TokensModule {}
