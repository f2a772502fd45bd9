import type { DynamicModule, Type } from '@nestjs/common';
import { AccessModule } from '../modules/access/index.js';
import { AuditModule } from '../modules/audit/index.js';
import { AuthModule } from '../modules/auth/index.js';
import { BillingModule } from '../modules/billing/index.js';
import { CapabilitiesModule } from '../modules/capabilities/index.js';
import { CloudIdsModule } from '../modules/cloud-ids/index.js';
import { ConsoleModule } from '../modules/console/index.js';
import { CostsModule } from '../modules/costs/index.js';
import { DocumentsModule } from '../modules/documents/index.js';
import { GapsModule } from '../modules/gaps/index.js';
import { GraphModule } from '../modules/graph/index.js';
import { KvModule } from '../modules/kv/index.js';
import { MembershipModule } from '../modules/membership/index.js';
import { MqlModule } from '../modules/mql/index.js';
import { OrchestrationModule } from '../modules/orchestration/index.js';
import { RepoConfigModule } from '../modules/repo-config/index.js';
import { SecurityModule } from '../modules/security/index.js';
import { ServerModule } from '../modules/server/index.js';
import { StatesModule } from '../modules/states/index.js';
import { TasksModule } from '../modules/tasks/index.js';
import { TenantsModule } from '../modules/tenants/index.js';
import { TokensModule } from '../modules/tokens/index.js';
import { ActuatorModule } from '../modules/actuator/index.js';
import { TransactionsModule } from '../modules/transactions/index.js';
import { UsersModule } from '../modules/users/index.js';
import { VcsModule } from '../modules/vcs/index.js';

/** Every feature module of the service, lowest tier first. A new module adds one line here. */
export const featureModules: (Type<unknown> | DynamicModule)[] = [
  AccessModule,
  AuditModule,
  CapabilitiesModule,
  TasksModule,
  TenantsModule,
  DocumentsModule,
  UsersModule,
  StatesModule,
  TokensModule,
  MembershipModule,
  GraphModule,
  MqlModule,
  AuthModule,
  TransactionsModule,
  CloudIdsModule,
  VcsModule,
  RepoConfigModule,
  ActuatorModule,
  KvModule,
  CostsModule,
  SecurityModule,
  GapsModule,
  BillingModule,
  OrchestrationModule,
  ServerModule,
  ConsoleModule,
];
