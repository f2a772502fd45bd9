import { IsOptional, IsString, MinLength } from 'class-validator';
import { PageToken } from '../../../platform/http/index.js';

export class MqlQuery {
  /** one SELECT statement, at most 16 kB; see docs/sql.md */
  @IsString()
  @MinLength(1)
  q: string;

  /** token of a `Link` header */
  @PageToken()
  page?: string;

  /** time zone of timestamps, such as Europe/Berlin; UTC when absent */
  @IsOptional()
  @IsString()
  tz?: string;
}

export const ROWS = {
  type: 'array',
  items: { type: 'object', additionalProperties: true },
  description: 'one object for each row, a member for each column',
};

const COLUMN = {
  type: 'object',
  required: ['type', 'description'],
  properties: { type: { type: 'string' }, description: { type: 'string' } },
};

export const SCHEMA = {
  type: 'object',
  required: ['default_limit', 'max_limit', 'tables'],
  properties: {
    default_limit: { type: 'integer', description: 'rows of a query without LIMIT' },
    max_limit: { type: 'integer', description: 'most rows of a query with LIMIT' },
    tables: {
      type: 'object',
      additionalProperties: {
        type: 'object',
        required: ['description', 'columns'],
        properties: {
          description: { type: 'string' },
          columns: { type: 'object', additionalProperties: COLUMN },
        },
      },
    },
  },
};

export interface MqlSchemaView {
  default_limit: number;
  max_limit: number;
  tables: Record<
    string,
    { description: string; columns: Record<string, { type: string; description: string }> }
  >;
}
