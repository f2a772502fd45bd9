import { Transform, Type } from 'class-transformer';
import {
  IsArray,
  IsBoolean,
  IsEmail,
  IsInt,
  IsNotEmpty,
  IsObject,
  IsOptional,
  IsString,
  Length,
  Matches,
  Max,
  MaxLength,
  Min,
  ValidateNested,
} from 'class-validator';
import { AppError } from '../errors/index.js';
import { requestValidation } from './validation.js';

class Inner {
  @IsString()
  @IsNotEmpty()
  @MaxLength(3)
  key: unknown;
}

class Body {
  @Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.trim() : value))
  @IsString()
  @Matches(/\S/, { message: 'name must not be blank' })
  @Length(1, 5)
  name: unknown;

  @IsOptional()
  @IsEmail()
  @MaxLength(20)
  email: unknown;

  @IsOptional()
  @IsBoolean()
  flag: unknown;

  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(9)
  limit: unknown;

  @IsOptional()
  @IsString({ each: true })
  @MaxLength(2, { each: true })
  names: unknown;

  @IsOptional()
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => Inner)
  list: unknown;
}

async function reasonFor(body: unknown): Promise<string> {
  const outcome: unknown = await requestValidation
    .transform(body, { type: 'body', metatype: Body })
    .catch((error: unknown) => error);
  return outcome instanceof AppError ? outcome.message : 'fine';
}

describe('A body that is refused', () => {
  it.each([
    [{ name: 'a', limit: 'x' }, 'limit must be an integer number'],
    [{ name: 'a', limit: NaN }, 'limit must be an integer number'],
    [{ name: 'a', limit: 10 }, 'limit must not be greater than 9'],
    [undefined, 'name is required'],
    [{}, 'name is required'],
    [{ name: null }, 'name must be a string'],
    [{ name: 5 }, 'name must be a string'],
    [{ name: {} }, 'name must be a string'],
    [{ name: 'too long' }, 'name must be shorter than or equal to 5 characters'],
    [{ name: ' ' }, 'name must be longer than or equal to 1 characters'],
    [{ name: 'a', email: 5 }, 'email must be an email'],
    [{ name: 'a', email: 'nobody' }, 'email must be an email'],
    [{ name: 'a', flag: 'yes' }, 'flag must be a boolean value'],
    [{ name: 'a', names: [5] }, 'each value in names must be a string'],
    [{ name: 'a', names: ['long'] }, 'each value in names must be shorter than or equal to 2 characters'],
    [{ name: 'a', list: [{ key: 'a' }, {}] }, 'list.1.key is required'],
    [{ name: 'a', list: [{ key: 5 }] }, 'list.0: key must be a string'],
    [
      { name: 'a', list: [[{ key: 5 }]] },
      'list: each value in nested property list must be either object or array',
    ],
    [{ name: 'a', list: [[]] }, 'list: each value in nested property list must be either object or array'],
    [{ name: 'a', emial: 'a@example.com' }, 'fine'],
    [{ name: 'a', limits: 5 }, '"limits" is unknown, did you mean "limit"?'],
    [{ nam: 'a' }, 'name is required'],
    [{ name: 'a', flags: true }, '"flags" is unknown, did you mean "flag"?'],
    [{ name: 'a', limit: 5, limits: 6, other: 1, note: 'x' }, 'fine'],
    [{ name: 'a', email: 'a@example.com', flag: true, names: ['a'], list: [{ key: 'a' }] }, 'fine'],
  ])('says what is wrong with %j', async (body, reason) => {
    expect(await reasonFor(body)).toBe(reason);
  });
});

describe('The work of validation', () => {
  class Small {
    @IsString()
    name: string;
    @IsOptional()
    @IsObject()
    tags: Record<string, unknown>;
  }

  /** How often members of the value, at any depth, were looked at. */
  async function visitsOf(value: object): Promise<number> {
    let visits = 0;
    const watched = (item: object): object =>
      new Proxy(item, {
        get: (target, name) => {
          visits++;
          const found: unknown = Reflect.get(target, name);
          return typeof found === 'object' && found !== null ? watched(found) : found;
        },
        getOwnPropertyDescriptor: (target, name) => {
          visits++;
          return Reflect.getOwnPropertyDescriptor(target, name);
        },
        ownKeys: (target) => {
          const keys = Reflect.ownKeys(target);
          visits += keys.length;
          return keys;
        },
      });
    await requestValidation.transform(watched(value), { type: 'body', metatype: Small });
    return visits;
  }

  const members = (count: number): Record<string, number> =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`m${index}`, index]));

  it('is one look at the name of each member that no DTO names', async () => {
    const few = await visitsOf({ name: 'a', ...members(100) });
    expect(await visitsOf({ name: 'a', ...members(10_000) })).toBe(few + 9_900);
  });

  it('grows no faster than the members of what a DTO names', async () => {
    const few = await visitsOf({ name: 'a', tags: members(1000) });
    expect(await visitsOf({ name: 'a', tags: members(10_000) })).toBeLessThan(10 * few + 100);
  });
});
