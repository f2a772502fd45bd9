import { DynamicModule, Global, Module } from '@nestjs/common';
import { Config } from './config.js';
import { ProcessRole } from './process-role.js';

@Global()
@Module({})
export class ConfigModule {
  static of(config: Config, role: ProcessRole): DynamicModule {
    return {
      module: ConfigModule,
      providers: [
        { provide: Config, useValue: config },
        { provide: ProcessRole, useValue: role },
      ],
      exports: [Config, ProcessRole],
    };
  }
}
