import { DynamicModule, Module } from '@nestjs/common';
import { Config, ConfigModule, ProcessRole, Role } from '../platform/config/index.js';
import { DatabaseModule } from '../platform/database/index.js';
import { MetricsModule } from '../platform/metrics/index.js';
import { PlatformModule } from '../platform/platform.module.js';
import { QueueModule } from '../platform/queue/index.js';
import { featureModules } from './modules.js';

/** Composes the service; the same modules stand in every process, the role decides what they do there. */
@Module({})
export class AppModule {
  static of(config: Config, options: { role: Role }): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ConfigModule.of(config, new ProcessRole(options.role)),
        PlatformModule,
        DatabaseModule,
        MetricsModule,
        QueueModule,
        ...featureModules,
      ],
    };
  }
}
