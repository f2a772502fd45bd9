import { applyDecorators, HttpCode, Type } from '@nestjs/common';
import { ApiProperty, ApiResponse } from '@nestjs/swagger';

/** The body of every answer that is not a success. */
export class ErrorBody {
  @ApiProperty({ description: 'stable error id, see docs/errors.md' })
  id: string;
  @ApiProperty({ description: 'what went wrong, for people' })
  data: string;
}

/** Status and schema of the success answer in one line, so that they cannot drift apart. */
export function Answers(status: number, view?: Type<unknown> | Record<string, unknown>): MethodDecorator {
  const body =
    view === undefined
      ? {}
      : typeof view === 'function'
        ? { type: view }
        : { schema: view as { type: string } };
  return applyDecorators(HttpCode(status), ApiResponse({ status, description: 'success', ...body }));
}

/** Documents the error statuses a route can answer with, besides those its access declaration already implies. */
export function Refuses(...statuses: number[]): MethodDecorator {
  return applyDecorators(
    ...statuses.map((status) => ApiResponse({ status, description: 'refused', type: ErrorBody })),
  );
}
