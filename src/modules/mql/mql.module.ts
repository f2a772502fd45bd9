import { Module } from '@nestjs/common';
import { AccessModule } from '../access/index.js';
import { CheckedQueries } from './checked-queries.js';
import { MqlController } from './mql.controller.js';
import { MqlService } from './mql.service.js';
import { PageTokens } from './page-tokens.js';
import { QueryAdmission } from './query-admission.js';
import { QueryCatalog } from './query-catalog.js';
import { QueryGrammar } from './query-grammar.js';
import { QuerySessions } from './query-sessions.js';
import { QueryTables } from './query-tables.js';

/** SQL over every state. Other modules bring their tables with `QueryTables.add` in `onModuleInit`. */
@Module({
  imports: [AccessModule],
  controllers: [MqlController],
  providers: [
    CheckedQueries,
    MqlService,
    PageTokens,
    QueryAdmission,
    QueryCatalog,
    QueryGrammar,
    QuerySessions,
    QueryTables,
  ],
  exports: [QueryTables],
})
export class MqlModule {}
