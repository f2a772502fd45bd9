import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { APP_GUARD, DiscoveryModule } from '@nestjs/core';
import { AccessInventory } from './access-inventory.js';
import { AccessDecisions } from './access.decisions.js';
import { AccessGuard } from './access.guard.js';
import { Administration } from './administration.js';
import { PrincipalQueries } from './principal.queries.js';
import { Principals } from './principals.js';
import { RateLimits } from './rate-limits.js';
import { ScopeResolvers } from './scope-resolvers.js';
import { ServiceTokens } from './service-tokens.js';
import { SigningKeyRotation } from './signing-key-rotation.job.js';
import { SigningKeys } from './signing-keys.js';
import { TokenResolvers } from './token-resolvers.js';
import { SigningKeyEntity } from './entities/signing-key.entity.js';

const entities = [SigningKeyEntity];

/** Who calls and what they may do. Global: its decorators stand on every controller. */
@Global()
@Module({
  imports: [TypeOrmModule.forFeature(entities), DiscoveryModule],
  providers: [
    AccessDecisions,
    AccessInventory,
    Administration,
    PrincipalQueries,
    Principals,
    RateLimits,
    ScopeResolvers,
    ServiceTokens,
    SigningKeyRotation,
    SigningKeys,
    TokenResolvers,
    { provide: APP_GUARD, useClass: AccessGuard },
  ],
  exports: [
    AccessDecisions,
    AccessInventory,
    Administration,
    Principals,
    RateLimits,
    ScopeResolvers,
    ServiceTokens,
    SigningKeys,
  ],
})
export class AccessModule {}
