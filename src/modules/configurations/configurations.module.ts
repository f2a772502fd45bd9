import { Module } from '@nestjs/common';
import { Configurations } from './configurations.service.js';

@Module({ providers: [Configurations], exports: [Configurations] })
export class ConfigurationsModule {}
