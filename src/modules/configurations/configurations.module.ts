import { Module } from '@nestjs/common';
import { ConfigurationStore } from './configuration.store.js';
import { ConfigurationEdges } from './configuration-edges.store.js';
import { Configurations } from './configurations.service.js';

/** What was applied to states, and what of it a change makes necessary to plan. */
@Module({ providers: [Configurations, ConfigurationEdges, ConfigurationStore], exports: [Configurations] })
export class ConfigurationsModule {}
