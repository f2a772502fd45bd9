import { Controller, Get, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Answers, clientLeft, leavingOf, PageLinks, Refuses } from '../../platform/http/index.js';
import { Caller, type Principal, SignedIn } from '../access/index.js';
import { MqlQuery, type MqlSchemaView, ROWS, SCHEMA } from './dto/mql.dto.js';
import { MqlService, type QueryAnswer } from './mql.service.js';
import { schemaOf } from './query-schema.js';
import { QueryTables } from './tables/query-tables.js';

@ApiTags('mql')
@Controller('mql')
export class MqlController {
  constructor(
    private readonly queries: MqlService,
    private readonly tables: QueryTables,
    private readonly pages: PageLinks,
  ) {}

  /** Answers one SELECT over the tables of `/mql/schema`, limited to the caller's tenants. */
  @Get()
  @SignedIn()
  @Answers(200, ROWS)
  @Refuses(400, 429, 503)
  async query(
    @Caller() caller: Principal,
    @Query() query: MqlQuery,
    @Res() response: Response,
  ): Promise<void> {
    const answer = await this.queries.answer(caller, query, leavingOf(response));
    try {
      this.pages.set(response, answer);
      response.set(headersOf(answer));
      // The rows are JSON text already, and numbers in it keep every digit.
      response.type('application/json').set('Content-Length', String(answer.rows.size));
      await answer.rows.sendTo(response);
    } catch (error) {
      // Whoever catches it cuts the connection: what was sent must not look like a complete answer.
      if (!clientLeft(error)) throw error;
    } finally {
      await answer.release();
    }
  }

  /** Tables and columns that queries can read, and the limits. */
  @Get('schema')
  @SignedIn()
  @Answers(200, SCHEMA)
  schema(): MqlSchemaView {
    return schemaOf(this.tables.all.values());
  }
}

function headersOf(answer: QueryAnswer): Record<string, string> {
  return {
    'Cache-Control': 'no-store',
    ...(answer.defaultLimitApplied ? { 'mql-default-limit-applied': '20' } : {}),
    ...(answer.paginationError === undefined ? {} : { 'mql-pagination-error': answer.paginationError }),
  };
}
