import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { TenantMemberEntity } from './entities/tenant-member.entity.js';
import { TenantEntity } from './entities/tenant.entity.js';
import { Memberships } from './memberships.js';
import { TenantScope } from './tenant.scope.js';
import { TenantsController } from './tenants.controller.js';
import { TenantsService } from './tenants.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([TenantEntity, TenantMemberEntity])],
  controllers: [TenantsController],
  providers: [Memberships, TenantScope, TenantsService],
  exports: [Memberships, TenantsService],
})
export class TenantsModule {}
