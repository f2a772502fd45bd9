import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccessModule } from '../access/index.js';
import { VcsModule } from '../vcs/index.js';
import { KvRecordEntity } from './entities/kv-record.entity.js';
import { KvMetrics } from './kv-metrics.js';
import { KvNamespaceGuard, KvRefusals } from './kv-namespace.guard.js';
import { KvNamespaces } from './kv-namespaces.js';
import { KvRecordsStore } from './kv-records.store.js';
import { KvUpkeep } from './kv-upkeep.js';
import { GithubKvController, GitlabKvController } from './kv.controller.js';
import { KvService } from './kv.service.js';

/** A small, exact key-value store, one namespace for each installation of a code host. */
@Module({
  imports: [AccessModule, VcsModule, TypeOrmModule.forFeature([KvRecordEntity])],
  controllers: [GithubKvController, GitlabKvController],
  providers: [KvMetrics, KvNamespaceGuard, KvNamespaces, KvRecordsStore, KvRefusals, KvService, KvUpkeep],
})
export class KvModule {}
