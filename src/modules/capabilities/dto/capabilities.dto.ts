import { ApiProperty } from '@nestjs/swagger';
import { IsObject, IsOptional, IsString, MaxLength } from 'class-validator';
import type { Grants } from '../../access/index.js';
import type { GroupCondition } from '../group-condition.rules.js';

export const GRANTS_SCHEMA = {
  type: 'object' as const,
  description:
    'capability to scope: {} everywhere, or tenants (ids) and states (state id to actions, * is all)',
  additionalProperties: {
    type: 'object' as const,
    properties: {
      tenants: { type: 'array' as const, items: { type: 'string' as const, format: 'uuid' } },
      states: {
        type: 'object' as const,
        additionalProperties: { type: 'array' as const, items: { type: 'string' as const } },
      },
    },
  },
};

const CONDITION_SCHEMA = {
  type: 'object' as const,
  description:
    '{group: pattern}, where a trailing * matches a prefix, {any: [condition]} or {all: [condition]}',
  additionalProperties: true,
};

export class CapabilitiesView {
  @ApiProperty(GRANTS_SCHEMA)
  capabilities: Grants;
}

export class ReplaceDefaultsBody {
  @ApiProperty(GRANTS_SCHEMA)
  @IsObject()
  capabilities: unknown;
}

export class CreateGroupRuleBody {
  @ApiProperty(CONDITION_SCHEMA)
  @IsObject()
  condition: unknown;

  @ApiProperty(GRANTS_SCHEMA)
  @IsObject()
  grant: unknown;

  @IsOptional()
  @IsString()
  @MaxLength(1000)
  description?: string;
}

export class GroupRuleView {
  id: string;
  @ApiProperty(CONDITION_SCHEMA)
  condition: GroupCondition;
  @ApiProperty(GRANTS_SCHEMA)
  grant: Grants;
  description: string;
  created_at: string;
  created_by: string;
}

export class GroupRuleListView {
  rules: GroupRuleView[];
}

export class GroupRuleIdView {
  id: string;
}
