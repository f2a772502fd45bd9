import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { CodeEventHandlers } from './code-events.js';
import { CodeHosts } from './hosts/code-hosts.js';
import { GroupCredentialsEntity } from './entities/group-credentials.entity.js';
import { InstallationEntity } from './entities/installation.entity.js';
import { LinkedAccountEntity } from './entities/linked-account.entity.js';
import { PullRequestEntity } from './entities/pull-request.entity.js';
import { RepositoryEntity } from './entities/repository.entity.js';
import { UsedAuthorizationEntity } from './entities/used-authorization.entity.js';
import { WebhookDeliveryEntity } from './entities/webhook-delivery.entity.js';
import { WebhookLaneEntity } from './entities/webhook-lane.entity.js';
import { InstallationQueries } from './installations.queries.js';

/** Code hosting: installations, the accounts and groups they stand for, and what their webhooks report. */
@Module({
  imports: [
    DiscoveryModule,
    TypeOrmModule.forFeature([
      GroupCredentialsEntity,
      InstallationEntity,
      LinkedAccountEntity,
      PullRequestEntity,
      RepositoryEntity,
      UsedAuthorizationEntity,
      WebhookDeliveryEntity,
      WebhookLaneEntity,
    ]),
  ],
  providers: [CodeEventHandlers, CodeHosts, InstallationQueries],
  exports: [CodeEventHandlers, CodeHosts, InstallationQueries],
})
export class VcsModule {}
