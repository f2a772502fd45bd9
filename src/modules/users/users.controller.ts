import { Body, Controller, Delete, Get, Post, Put, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Answers, leavingOf, Refuses, RequiredQuery } from '../../platform/http/index.js';
import { Caller, isInstallationAdmin, type Principal, Requires, SignedIn } from '../access/index.js';
import {
  ChangePasswordBody,
  CreatedUserView,
  CreateUserBody,
  DeletedUserView,
  InstanceAdminView,
  ListUsersQuery,
  PasswordChangedView,
  SetInstanceAdminBody,
  UpdateUserBody,
  UserPageView,
  UserView,
} from './dto/users.dto.js';
import { toUserView } from './user.view.js';
import { UserQueries } from './users.queries.js';
import { PasswordChangeService } from './password-change.service.js';
import { UsersService } from './users.service.js';

@ApiTags('users')
@Controller('users')
export class UsersController {
  constructor(
    private readonly users: UsersService,
    private readonly passwords: PasswordChangeService,
    private readonly queries: UserQueries,
  ) {}

  /** Lists users, newest first. */
  @Get()
  @Requires('users-manage', 'installation')
  @Answers(200, UserPageView)
  @Refuses(400)
  list(@Query() query: ListUsersQuery): Promise<UserPageView> {
    return this.queries.list(query);
  }

  /** Shows one user. */
  @Get('detail')
  @Requires('users-manage', 'anywhere')
  @Answers(200, UserView)
  @Refuses(404)
  async detail(
    @Caller() caller: Principal,
    @Query('user_id', RequiredQuery) userId: string,
  ): Promise<UserView> {
    const { user, grants } = await this.users.detail(caller, userId);
    return toUserView(user, grants);
  }

  /** Creates a user with a password. */
  @Post()
  @Requires('users-manage', 'anywhere')
  @Answers(201, CreatedUserView)
  @Refuses(400, 409, 429)
  async create(
    @Caller() caller: Principal,
    @Body() body: CreateUserBody,
    @Res({ passthrough: true }) response: Response,
  ): Promise<CreatedUserView> {
    const { user, grants } = await this.users.create(caller, body, leavingOf(response));
    const email = user.email === null ? {} : { email: user.email };
    return { id: user.id, name: user.name, ...email, is_instance_admin: isInstallationAdmin(grants) };
  }

  /** Changes a user's name, email address, avatar or administrator right. */
  @Put('update')
  @Requires('users-manage', 'anywhere')
  @Answers(200, UserView)
  @Refuses(400, 404, 409)
  async update(
    @Caller() caller: Principal,
    @Query('user_id', RequiredQuery) userId: string,
    @Body() body: UpdateUserBody,
  ): Promise<UserView> {
    const { user, grants } = await this.users.update(caller, userId, body);
    return toUserView(user, grants);
  }

  /** Deletes a user with their API keys and sessions. */
  @Delete('delete')
  @Requires('users-manage', 'anywhere')
  @Answers(200, DeletedUserView)
  @Refuses(400, 404, 409)
  async delete(
    @Caller() caller: Principal,
    @Query('user_id', RequiredQuery) userId: string,
  ): Promise<DeletedUserView> {
    return { id: (await this.users.delete(caller, userId)).id, deleted: true };
  }

  /** Changes a user's password. */
  @Post('change-password')
  @SignedIn()
  @Answers(200, PasswordChangedView)
  @Refuses(400, 403, 404, 429)
  async changePassword(
    @Caller() caller: Principal,
    @Query('user_id', RequiredQuery) userId: string,
    @Body() body: ChangePasswordBody,
    @Res({ passthrough: true }) response: Response,
  ): Promise<PasswordChangedView> {
    const { id } = await this.passwords.change(caller, userId, body, leavingOf(response));
    return { id, password_changed: true };
  }

  /** Gives a user the rights of an installation administrator, or withdraws them. */
  @Post('set-instance-admin')
  @Requires('users-manage', 'anywhere')
  @Answers(200, InstanceAdminView)
  @Refuses(400, 404)
  async setInstanceAdmin(
    @Caller() caller: Principal,
    @Query('user_id', RequiredQuery) userId: string,
    @Body() body: SetInstanceAdminBody,
  ): Promise<InstanceAdminView> {
    const grants = await this.users.setInstanceAdmin(caller, userId, { value: body.is_instance_admin });
    return { id: userId, is_instance_admin: isInstallationAdmin(grants) };
  }
}
