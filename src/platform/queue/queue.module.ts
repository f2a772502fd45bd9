import { Global, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { JobConsumers } from './job-consumers.js';
import { Jobs } from './jobs.js';
import { QueueBackend } from './queue-backend.js';

@Global()
@Module({
  imports: [DiscoveryModule],
  providers: [QueueBackend, Jobs, JobConsumers],
  exports: [Jobs, JobConsumers],
})
export class QueueModule {}
