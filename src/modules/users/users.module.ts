import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { CapabilitiesModule } from '../capabilities/index.js';
import { TenantsModule } from '../tenants/index.js';
import { UserEntity } from './entities/user.entity.js';
import { Passwords } from './passwords.js';
import { PasswordChangeService } from './password-change.service.js';
import { UserTargets } from './user-targets.js';
import { UserAdministration } from './user-administration.js';
import { UserDirectory } from './user-directory.js';
import { UsersController } from './users.controller.js';
import { UserQueries } from './users.queries.js';
import { UsersService } from './users.service.js';

@Module({
  imports: [CapabilitiesModule, TenantsModule, TypeOrmModule.forFeature([UserEntity])],
  controllers: [UsersController],
  providers: [
    PasswordChangeService,
    Passwords,
    UserAdministration,
    UserDirectory,
    UserQueries,
    UserTargets,
    UsersService,
  ],
  exports: [Passwords, UserDirectory],
})
export class UsersModule {}
