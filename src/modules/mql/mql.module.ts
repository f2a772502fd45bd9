import { Module } from '@nestjs/common';
import { AccessModule } from '../access/index.js';
import { CheckedQueries } from './execution/checked-queries.js';
import { MqlController } from './mql.controller.js';
import { MqlService } from './mql.service.js';
import { PageTokens } from './paging/page-tokens.js';
import { QueryAdmission } from './execution/query-admission.js';
import { QueryCatalog } from './execution/query-catalog.js';
import { QueryGrammar } from './analysis/query-grammar.js';
import { QuerySessions } from './execution/query-sessions.js';
import { QueryTables } from './tables/query-tables.js';

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
