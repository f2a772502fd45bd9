import { Module, type OnModuleInit } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Config } from '../../platform/config/index.js';
import { AccessModule } from '../access/index.js';
import { MqlModule, QueryTables } from '../mql/index.js';
import { VcsModule } from '../vcs/index.js';
import { WorkManifestDirspaceEntity } from './entities/work-manifest-dirspace.entity.js';
import {
  WorkManifestOutputEntity,
  WorkManifestPayloadEntity,
} from './entities/work-manifest-output.entity.js';
import { WorkManifestEntity } from './entities/work-manifest.entity.js';
import { DirspaceQueries } from './records/dirspaces.queries.js';
import { InstallationEntry } from './records/installation-entry.js';
import { orchestrationTables } from './records/orchestration-tables.js';
import { OutputQueries } from './records/outputs.queries.js';
import { RunRecords } from './records/run-records.service.js';
import { RunWorkspacesController } from './records/run-workspaces.controller.js';
import { GithubRunsController, GitlabRunsController } from './records/work-manifests.controller.js';
import { WorkManifestQueries } from './records/work-manifests.queries.js';

const entities = [
  WorkManifestDirspaceEntity,
  WorkManifestEntity,
  WorkManifestOutputEntity,
  WorkManifestPayloadEntity,
];

/** From a pull request to a plan to an apply: runs, their queue, and what they say in the pull request. */
@Module({
  imports: [TypeOrmModule.forFeature(entities), AccessModule, MqlModule, VcsModule],
  controllers: [GithubRunsController, GitlabRunsController, RunWorkspacesController],
  providers: [DirspaceQueries, InstallationEntry, OutputQueries, RunRecords, WorkManifestQueries],
})
export class OrchestrationModule implements OnModuleInit {
  constructor(
    private readonly config: Config,
    private readonly tables: QueryTables,
  ) {}

  onModuleInit(): void {
    if (this.config.get('SERVICE_ORCHESTRATION_ENABLED')) this.tables.add(orchestrationTables);
  }
}
