import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DiscoveryModule } from '@nestjs/core';
import { AccessModule } from '../access/index.js';
import { TaskKinds } from './task-kinds.js';
import { TaskRetention } from './task-retention.job.js';
import { TaskRunner } from './task-runner.job.js';
import { TasksController } from './tasks.controller.js';
import { TaskQueries } from './tasks.queries.js';
import { Tasks } from './tasks.js';
import { TaskEntity, TaskResultEntity } from './entities/task.entity.js';

const entities = [TaskEntity, TaskResultEntity];

/** Work that outlives a request: rows that are the truth, queues that only say when. */
@Module({
  imports: [TypeOrmModule.forFeature(entities), AccessModule, DiscoveryModule],
  controllers: [TasksController],
  providers: [TaskKinds, TaskQueries, TaskRetention, TaskRunner, Tasks],
  exports: [TaskRunner, Tasks],
})
export class TasksModule {}
