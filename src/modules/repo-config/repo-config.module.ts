import { Module } from '@nestjs/common';
import { ConfigSchemaController } from './config-schema.controller.js';

/** The file `.infrastate/config.yml` of a repository: its schema, its parser and the rules that read it. */
@Module({ controllers: [ConfigSchemaController] })
export class RepoConfigModule {}
