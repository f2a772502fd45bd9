import { Body, Controller, Get, Ip, Post, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Answers, Refuses } from '../../platform/http/index.js';
import { CallerIfAny, type Principal, Public } from '../access/index.js';
import { EmptyView, SetupAdminBody, SetupAdminView, SetupStatusView } from './dto/auth.dto.js';
import { Sessions } from './sessions.js';
import { SetupService } from './setup.service.js';

@ApiTags('setup')
@Controller('setup')
export class SetupController {
  constructor(
    private readonly setup: SetupService,
    private readonly sessions: Sessions,
  ) {}

  /** Says whether the installation still needs its first administrator. */
  @Get('status')
  @Public()
  @Answers(200, SetupStatusView)
  async status(): Promise<SetupStatusView> {
    const needsSetup = await this.setup.isNeeded();
    return {
      needs_setup: needsSetup,
      ...(needsSetup && this.setup.needsToken ? { needs_token: true } : {}),
    };
  }

  /** Creates the first administrator and the first tenant. */
  @Post('admin')
  @Public()
  @Answers(201, SetupAdminView)
  @Refuses(400, 403, 409, 429)
  async createAdmin(
    @Body() body: SetupAdminBody,
    @Ip() address: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SetupAdminView> {
    const { token, userId } = await this.setup.createAdmin(body, address);
    this.sessions.setCookie(response, token);
    return { session_token: token, user_id: userId };
  }

  /** Marks setup as complete. */
  @Post('complete')
  @Public({ identifies: true })
  @Answers(200, EmptyView)
  @Refuses(401, 403, 429)
  async complete(@CallerIfAny() caller: Principal | undefined, @Ip() address: string): Promise<EmptyView> {
    await this.setup.complete(caller, address);
    return {};
  }
}
