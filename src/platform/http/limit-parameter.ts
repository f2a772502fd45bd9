import { ApiPropertyOptional } from '@nestjs/swagger';

/** Describes the `limit` of a list as an integer. Values above `most` count as `most`; see `pageLimit`. */
export function LimitParameter(
  fallback: number,
  most: number,
  description = 'maximum number of rows',
): PropertyDecorator {
  return ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    default: fallback,
    description: `${description}; ${most} at most: a larger value counts as ${most}`,
  });
}
