import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform, Type } from 'class-transformer';
import { IsInt, IsOptional, IsString, Length, Max, Min } from 'class-validator';

/** An optional `page`: the token of a `Link` header or of `next_page`. */
export function PageToken(): PropertyDecorator {
  return applyDecorators(IsOptional(), IsString());
}

/** Describes a `limit` as an integer. A value above `most` counts as `most`. */
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

/** An optional `limit` of a list with page tokens, whose value `pageLimit` reads. */
export function PageLimit(...described: Parameters<typeof LimitParameter>): PropertyDecorator {
  return applyDecorators(LimitParameter(...described), IsOptional(), IsString());
}

const MAX_ROWS = 1000;

/** An optional `limit` that arrives as a number. A larger value than 1000 is refused. */
export function RowLimit(fallback?: number): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({
      type: 'integer',
      minimum: 1,
      maximum: MAX_ROWS,
      ...(fallback === undefined ? {} : { default: fallback }),
      description: 'maximum number of rows',
    }),
    IsOptional(),
    Type(() => Number),
    IsInt(),
    Min(1),
    Max(MAX_ROWS),
  );
}

/** Removes white space around a text before the text is validated. */
export function Trimmed(): PropertyDecorator {
  return Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.trim() : value));
}

const MAX_NAME_LENGTH = 255;

/** A required name: trimmed, 1 to 255 characters. */
export function Name(): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ minLength: 1, maxLength: MAX_NAME_LENGTH }),
    Trimmed(),
    IsString(),
    Length(1, MAX_NAME_LENGTH),
  );
}
