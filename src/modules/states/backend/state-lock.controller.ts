import { Body, Controller, Delete, Get, Param } from '@nestjs/common';
import { ApiBody, ApiTags } from '@nestjs/swagger';
import { Answers, Refuses } from '../../../platform/http/index.js';
import { Caller, Entered, type Principal, Requires, RequiresMember } from '../../access/index.js';
import { BreakLockBody, BrokenLockView, LockView } from '../dto/lock.dto.js';
import type { StateEntity } from '../entities/state.entity.js';
import { StateLockService } from './state-lock.service.js';

@ApiTags('states')
@Controller('states/:stateId/lock')
export class StateLockController {
  constructor(private readonly locks: StateLockService) {}

  /** Shows who holds the lock of a state. */
  @Get()
  @RequiresMember({ state: 'stateId' })
  @Answers(200, LockView)
  async show(@Param('stateId') stateId: string): Promise<LockView> {
    return this.locks.show(stateId);
  }

  /** Breaks the lock of a state, whoever holds it. */
  @Delete()
  @Requires('admin', { state: 'stateId' })
  @ApiBody({ type: BreakLockBody, required: false })
  @Answers(200, BrokenLockView)
  @Refuses(400)
  async breakLock(
    @Caller() caller: Principal,
    @Entered() state: StateEntity,
    @Body() body: BreakLockBody,
  ): Promise<BrokenLockView> {
    return { unlocked: await this.locks.breakLock(caller, state, body.reason) };
  }
}
