import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsArray, IsObject, IsOptional, IsString, IsUUID } from 'class-validator';
import { Name, RowLimit } from '../../../platform/http/index.js';
import type { UserType } from '../../access/index.js';
import { GRANTS_SCHEMA } from '../../capabilities/index.js';
import type { TokenCapability } from '../token-capabilities.rules.js';

const CAPABILITY_LIST_SCHEMA = {
  type: 'array' as const,
  description: 'names, or {name: installation_id, id} and {name: vcs, vcs}',
  items: { oneOf: [{ type: 'string' as const }, { type: 'object' as const, additionalProperties: true }] },
};

export class CreateApiKeyBody {
  @Name()
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
  @Name()
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
  @Name()
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
  @RowLimit()
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
