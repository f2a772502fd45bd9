import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform, Type } from 'class-transformer';
import { IsArray, IsInt, IsObject, IsOptional, IsString, IsUUID, Length, Max, Min } from 'class-validator';
import type { UserType } from '../../access/index.js';
import { GRANTS_SCHEMA } from '../../capabilities/index.js';
import type { TokenCapability } from '../token-capabilities.rules.js';

const trim = ({ value }: { value: unknown }) => (typeof value === 'string' ? value.trim() : value);

const CAPABILITY_LIST_SCHEMA = {
  type: 'array' as const,
  description: 'names, or {name: installation_id, id} and {name: vcs, vcs}',
  items: { oneOf: [{ type: 'string' as const }, { type: 'object' as const, additionalProperties: true }] },
};

export class CreateApiKeyBody {
  @Transform(trim)
  @IsString()
  @Length(1, 255)
  name: string;

  @ApiPropertyOptional(GRANTS_SCHEMA)
  @IsOptional()
  @IsObject()
  capabilities?: unknown;
}

export class NewTokenView {
  /** shown once */
  token: string;
}

export class ApiKeyView {
  id: string;
  name: string;
  created_at: string;
  owner_id: string;
  owner_name: string;
  owner_type: UserType;
}

export class ApiKeyListView {
  tokens: ApiKeyView[];
}

export class RevokedView {
  id: string;
  revoked: boolean;
}

export class CreateServiceAccountBody {
  @Transform(trim)
  @IsString()
  @Length(1, 255)
  name: string;

  @IsUUID()
  tenant_id: string;
}

export class ServiceAccountView {
  user_id: string;
  /** shown once */
  token: string;
}

export class CreateRefreshTokenBody {
  @Transform(trim)
  @IsString()
  @Length(1, 255)
  name: string;

  @ApiProperty(CAPABILITY_LIST_SCHEMA)
  @IsArray()
  capabilities: unknown[];
}

export class NewRefreshTokenView {
  /** shown once */
  refresh_token: string;
}

export class ListRefreshTokensQuery {
  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: 1000, description: 'maximum number of rows' })
  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(1000)
  limit?: number;

  /** `next_page` of the previous answer */
  @IsOptional()
  @Transform(({ value }: { value: unknown }) => (Array.isArray(value) ? (value.at(-1) as unknown) : value))
  @IsString()
  page?: string;
}

export class RefreshTokenView {
  id: string;
  name: string;
  @ApiProperty(CAPABILITY_LIST_SCHEMA)
  capabilities: TokenCapability[];
}

export class RefreshTokenListView {
  results: RefreshTokenView[];
  next_page?: string;
}
