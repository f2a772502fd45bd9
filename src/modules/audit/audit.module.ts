import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Audit } from './audit.js';
import { AuditController } from './audit.controller.js';
import { AuditQueries } from './audit.queries.js';
import { AuditEntryEntity } from './entities/audit-entry.entity.js';

/** Global: whoever changes something that matters records it. */
@Global()
@Module({
  imports: [TypeOrmModule.forFeature([AuditEntryEntity])],
  controllers: [AuditController],
  providers: [Audit, AuditQueries],
  exports: [Audit],
})
export class AuditModule {}
