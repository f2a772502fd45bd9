import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ConfigurationStore } from './configuration.store.js';
import { ConfigurationEdges } from './configuration-edges.store.js';
import { Configurations } from './configurations.service.js';
import { ConfigurationNodeEntity } from './entities/configuration-node.entity.js';

/** What was applied to states, and what of it a change makes necessary to plan. */
@Module({
  imports: [TypeOrmModule.forFeature([ConfigurationNodeEntity])],
  providers: [Configurations, ConfigurationEdges, ConfigurationStore],
  exports: [Configurations],
})
export class ConfigurationsModule {}
