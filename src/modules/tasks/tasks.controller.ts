import { Controller, Get, Param, Post, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Answers, Refuses, sendParts } from '../../platform/http/index.js';
import { Accepts, Caller, LimitsCreation, type Principal, SignedIn } from '../access/index.js';
import { TaskResultCountView, TaskResultQuery, TaskStartedView, TaskView } from './dto/task.dto.js';
import { taskErrors } from './tasks.errors.js';
import { TaskQueries } from './tasks.queries.js';
import { Tasks } from './tasks.js';

@ApiTags('tasks')
@Controller('tasks')
export class TasksController {
  constructor(
    private readonly tasks: Tasks,
    private readonly queries: TaskQueries,
  ) {}

  /** Creates the id of a task in advance, for a request that takes a `task_id`. */
  @Post()
  @SignedIn()
  @LimitsCreation('task', 3600)
  @Answers(200, TaskStartedView)
  async create(@Caller() caller: Principal): Promise<TaskStartedView> {
    const id = await this.tasks.createIdle({
      kind: 'noted',
      tenantId: undefined,
      createdBy: caller.userId,
      payload: {},
    });
    return { id, state: 'pending' };
  }

  /** Shows the state of a task. */
  @Get(':taskId')
  @SignedIn()
  @Accepts('run')
  @Answers(200, TaskView)
  @Refuses(404)
  async get(@Caller() caller: Principal, @Param('taskId') taskId: string): Promise<TaskView> {
    const { id, state, done, total, message, error } = await this.queries.visible(caller, taskId);
    const progress = {
      done: Number(done),
      ...(total === null ? {} : { total: Number(total) }),
      ...(message === null ? {} : { message }),
    };
    return { id, state, ...(done === null ? {} : { progress }), ...(error === null ? {} : { error }) };
  }

  /** Counts the stored fragments of a task's result. */
  @Get(':taskId/results')
  @SignedIn()
  @Answers(200, TaskResultCountView)
  @Refuses(404)
  async results(@Caller() caller: Principal, @Param('taskId') taskId: string): Promise<TaskResultCountView> {
    const { id } = await this.queries.visible(caller, taskId);
    return { count: await this.queries.count(id) };
  }

  /** Shows one fragment of a result, or without `idx` the whole result. */
  @Get(':taskId/result')
  @SignedIn()
  @Answers(200, {})
  @Refuses(400, 404)
  async result(
    @Caller() caller: Principal,
    @Param('taskId') taskId: string,
    @Query() { idx }: TaskResultQuery,
    @Res() response: Response,
  ): Promise<void> {
    const { id } = await this.queries.visible(caller, taskId);
    await sendParts(response.type('application/json'), await this.queries.result(id, idx));
  }

  /** Aborts a task. For a step of a transaction, abort the transaction instead. */
  @Post(':taskId/abort')
  @SignedIn()
  @Answers(200, TaskStartedView)
  @Refuses(404, 409)
  async abort(@Caller() caller: Principal, @Param('taskId') taskId: string): Promise<TaskStartedView> {
    const { id, created_by: creator, isStep } = await this.queries.visible(caller, taskId);
    if (creator !== caller.userId) throw taskErrors.TASK_NOT_FOUND();
    if (isStep) throw taskErrors.TASK_IS_STEP();
    if (!(await this.tasks.abort(id))) throw taskErrors.TASK_FINISHED();
    return { id, state: 'aborted' };
  }
}
