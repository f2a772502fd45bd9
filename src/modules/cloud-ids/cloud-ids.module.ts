import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { CloudIds } from './cloud-ids.store.js';
import { CloudIdsUpkeep } from './cloud-ids-upkeep.job.js';
import { CloudIdEntity, CloudIdStateEntity } from './entities/cloud-id.entities.js';

/** Matches what clouds bill and list with the instances of all states of a tenant. */
@Module({
  imports: [TypeOrmModule.forFeature([CloudIdEntity, CloudIdStateEntity])],
  providers: [CloudIds, CloudIdsUpkeep],
  exports: [CloudIds],
})
export class CloudIdsModule {}
