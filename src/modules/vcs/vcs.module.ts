import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { InstallationEntity } from './entities/installation.entity.js';
import { InstallationQueries } from './installations.queries.js';

/** Code hosting: installations, the accounts and groups they stand for, and what their webhooks report. */
@Module({
  imports: [TypeOrmModule.forFeature([InstallationEntity])],
  providers: [InstallationQueries],
  exports: [InstallationQueries],
})
export class VcsModule {}
