import { Module, type OnModuleInit } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccessModule } from '../access/index.js';
import { AuditModule } from '../audit/index.js';
import { MqlModule, QueryTables } from '../mql/index.js';
import { TasksModule } from '../tasks/index.js';
import { TenantsModule } from '../tenants/index.js';
import { UsersModule } from '../users/index.js';
import { AccountLinkingService } from './accounts/account-linking.service.js';
import { AuthorizationAttempts } from './accounts/authorization-attempts.js';
import { GithubAccountsController, GitlabAccountsController } from './accounts/linked-accounts.controller.js';
import { LinkedAccountsService } from './accounts/linked-accounts.service.js';
import { LinkedAccountsStore } from './accounts/linked-accounts.store.js';
import { CodeEventHandlers } from './code-events.js';
import { GroupCredentialsEntity } from './entities/group-credentials.entity.js';
import { InstallationEntity } from './entities/installation.entity.js';
import { LinkedAccountEntity } from './entities/linked-account.entity.js';
import { PullRequestEntity } from './entities/pull-request.entity.js';
import { RepositoryEntity } from './entities/repository.entity.js';
import { UsedAuthorizationEntity } from './entities/used-authorization.entity.js';
import { WebhookDeliveryEntity } from './entities/webhook-delivery.entity.js';
import { WebhookLaneEntity } from './entities/webhook-lane.entity.js';
import { CodeHosts } from './hosts/code-hosts.js';
import { GithubApi } from './hosts/github-api.js';
import { GithubAppTokens } from './hosts/github-app-tokens.js';
import { GithubCheckoutTokens } from './hosts/github-checkout-tokens.js';
import { GithubApp } from './hosts/github-app.js';
import { GithubHost } from './hosts/github-host.js';
import { GitlabApi } from './hosts/gitlab-api.js';
import { GitlabHost } from './hosts/gitlab-host.js';
import { GroupCredentials } from './hosts/group-credentials.store.js';
import { ProviderOAuth } from './hosts/provider-oauth.js';
import { ProviderRequests } from './hosts/provider-requests.js';
import { VcsMetrics } from './hosts/vcs-metrics.js';
import { VcsSettings } from './hosts/vcs-settings.js';
import { ClaimProofs } from './installations/claim-proof.js';
import { ClaimRecords } from './installations/claim-records.js';
import { ClaimsController } from './installations/claims.controller.js';
import { ClaimsService } from './installations/claims.service.js';
import { GroupAccess } from './installations/group-access.service.js';
import { GroupRecords } from './installations/group-records.js';
import { GroupsController } from './installations/groups.controller.js';
import { GroupsService } from './installations/groups.service.js';
import { InstallationLinks } from './installations/installation-links.service.js';
import { InstallationLists } from './installations/installation-lists.service.js';
import { InstallationRemovalController } from './installations/installation-removal.controller.js';
import { InstallationRemoval } from './installations/installation-removal.service.js';
import { InstallationGuard } from './installations/installation.guard.js';
import { InstallationQueries } from './installations/installations.queries.js';
import { InstallationsStore } from './installations/installations.store.js';
import { TenantInstallationsController } from './installations/tenant-installations.controller.js';
import { TenantInstallationsService } from './installations/tenant-installations.service.js';
import { PullRequestsStore } from './repositories/pull-requests.store.js';
import { RefreshRepositories } from './repositories/refresh-repositories.task.js';
import {
  GithubRepositoriesController,
  GitlabRepositoriesController,
} from './repositories/repositories.controller.js';
import { RepositoryQueries } from './repositories/repositories.queries.js';
import { RepositoriesService } from './repositories/repositories.service.js';
import { RepositoriesStore } from './repositories/repositories.store.js';
import { RepositorySync } from './repositories/repository-sync.service.js';
import { vcsTables } from './vcs.query-tables.js';
import { DeliveriesController } from './webhooks/deliveries.controller.js';
import { DeliveryQueries } from './webhooks/deliveries.queries.js';
import { DeliveriesStore } from './webhooks/deliveries.store.js';
import { DeliveryBatches } from './webhooks/delivery-batches.js';
import { DeliveryHandlers } from './webhooks/delivery-handlers.js';
import { DeliveryIntake } from './webhooks/delivery-intake.service.js';
import { EventPublishing } from './webhooks/event-publishing.js';
import { EventsController, GithubSignatureGuard, GroupSecretGuard } from './webhooks/events.controller.js';
import { GithubDeliveries } from './webhooks/github-deliveries.js';
import { GitlabDeliveries } from './webhooks/gitlab-deliveries.js';
import { DeliveryProcessing } from './webhooks/process-deliveries.job.js';

const entities = [
  GroupCredentialsEntity,
  InstallationEntity,
  LinkedAccountEntity,
  PullRequestEntity,
  RepositoryEntity,
  UsedAuthorizationEntity,
  WebhookDeliveryEntity,
  WebhookLaneEntity,
];

/** Code hosting: installations, the accounts and groups they stand for, and what their webhooks report. */
@Module({
  imports: [
    AccessModule,
    AuditModule,
    DiscoveryModule,
    MqlModule,
    TasksModule,
    TenantsModule,
    TypeOrmModule.forFeature(entities),
    UsersModule,
  ],
  controllers: [
    // Before those whose paths would match as well.
    DeliveriesController,
    ClaimsController,
    InstallationRemovalController,
    TenantInstallationsController,
    EventsController,
    GroupsController,
    GithubAccountsController,
    GitlabAccountsController,
    GithubRepositoriesController,
    GitlabRepositoriesController,
  ],
  providers: [
    AccountLinkingService,
    AuthorizationAttempts,
    ClaimProofs,
    ClaimRecords,
    ClaimsService,
    CodeEventHandlers,
    CodeHosts,
    DeliveriesStore,
    DeliveryBatches,
    DeliveryHandlers,
    DeliveryIntake,
    DeliveryProcessing,
    DeliveryQueries,
    EventPublishing,
    GithubApi,
    GithubApp,
    GithubAppTokens,
    GithubCheckoutTokens,
    GithubDeliveries,
    GithubHost,
    GithubSignatureGuard,
    GitlabApi,
    GitlabDeliveries,
    GitlabHost,
    GroupAccess,
    GroupCredentials,
    GroupRecords,
    GroupSecretGuard,
    GroupsService,
    InstallationGuard,
    InstallationLinks,
    InstallationLists,
    InstallationQueries,
    InstallationRemoval,
    InstallationsStore,
    LinkedAccountsService,
    LinkedAccountsStore,
    ProviderOAuth,
    ProviderRequests,
    PullRequestsStore,
    RefreshRepositories,
    RepositoriesService,
    RepositoriesStore,
    RepositoryQueries,
    RepositorySync,
    TenantInstallationsService,
    VcsMetrics,
    VcsSettings,
  ],
  exports: [
    CodeEventHandlers,
    CodeHosts,
    GithubApp,
    InstallationGuard,
    InstallationQueries,
    PullRequestsStore,
    RepositorySync,
    VcsSettings,
  ],
})
export class VcsModule implements OnModuleInit {
  constructor(
    private readonly tables: QueryTables,
    private readonly settings: VcsSettings,
  ) {}

  onModuleInit(): void {
    if (this.settings.isEnabled) this.tables.add(vcsTables);
  }
}
