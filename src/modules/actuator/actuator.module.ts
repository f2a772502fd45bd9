import { Module } from '@nestjs/common';
import { AccessModule } from '../access/index.js';
import { TasksModule } from '../tasks/index.js';
import { TransactionsModule } from '../transactions/index.js';
import { RunnerReportsController } from './runner-reports.controller.js';

/** The side of a transaction that the machine sees which runs Terraform. */
@Module({
  imports: [AccessModule, TasksModule, TransactionsModule],
  controllers: [RunnerReportsController],
})
export class ActuatorModule {}
