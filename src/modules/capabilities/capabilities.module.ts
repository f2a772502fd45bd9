import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { CapabilitiesController } from './capabilities.controller.js';
import { CapabilityDefaults } from './capability-defaults.js';
import { CapabilityDefaultsEntity } from './entities/capability-defaults.entity.js';
import { GroupRuleEntity } from './entities/group-rule.entity.js';
import { UserGrantEntity } from './entities/user-grant.entity.js';
import { GroupRules } from './group-rules.store.js';
import { UserGrants } from './user-grants.js';

@Module({
  imports: [TypeOrmModule.forFeature([CapabilityDefaultsEntity, GroupRuleEntity, UserGrantEntity])],
  controllers: [CapabilitiesController],
  providers: [CapabilityDefaults, GroupRules, UserGrants],
  exports: [CapabilityDefaults, GroupRules, UserGrants],
})
export class CapabilitiesModule {}
