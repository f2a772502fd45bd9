import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { AccessModule } from '../access/index.js';
import { TaskKinds } from './task-kinds.js';
import { TaskRetention } from './task-retention.job.js';
import { TaskRunner } from './task-runner.job.js';
import { TasksController } from './tasks.controller.js';
import { TaskQueries } from './tasks.queries.js';
import { Tasks } from './tasks.js';

/** Work that outlives a request: rows that are the truth, queues that only say when. */
@Module({
  imports: [AccessModule, DiscoveryModule],
  controllers: [TasksController],
  providers: [TaskKinds, TaskQueries, TaskRetention, TaskRunner, Tasks],
  exports: [TaskRunner, Tasks],
})
export class TasksModule {}
