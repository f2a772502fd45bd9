import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  Allow,
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsIn,
  IsOptional,
  IsString,
  IsUUID,
  Length,
  Matches,
} from 'class-validator';
import { CATEGORIES, type Category, SEVERITIES, type Severity } from '../engine/check.js';

export class CreateWaiverBody {
  /** id of a check, an alias, or `*` for every check of an address */
  @IsString()
  @Length(1, 200)
  check_id: string;
  /** all states of the tenant when absent */
  @IsOptional()
  @IsUUID()
  state_id?: string;
  /** exact, or with `*` for any characters, such as `module.vpc.*` */
  @IsOptional()
  @IsString()
  @Length(1, 2_000)
  address?: string;
  /** why the risk is accepted */
  @IsString()
  @Matches(/\S/, { message: 'reason must not be blank' })
  @Length(1, 2_000)
  reason: string;
  /** ISO 8601, in the future; without it the waiver holds until it is deleted */
  @IsOptional()
  @IsString()
  expires_at?: string;
}

export class WaiverView {
  id: string;
  /** id of the check */
  check_id: string;
  state_id?: string;
  address?: string;
  /** why the risk is accepted */
  reason: string;
  expires_at?: string;
  created_at: string;
  created_by?: string;
  created_by_name?: string;
  /** findings it suppresses now */
  matches: number;
}

export class WaiverListView {
  /** the waivers, newest first */
  waivers: WaiverView[];
}

export class SaveCheckBody {
  /** title of the check */
  @IsString()
  @Matches(/\S/, { message: 'title must not be blank' })
  @Length(1, 200)
  title: string;
  @IsIn(SEVERITIES)
  severity: Severity;
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(50)
  @IsString({ each: true })
  @Matches(/^[a-z][a-z0-9_]{1,99}$/, { each: true })
  resource_types: string[];
  /** default hygiene */
  @IsOptional()
  @IsIn(CATEGORIES)
  category?: Category;
  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description: 'the check applies only where this is true',
  })
  @Allow()
  when?: unknown;
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'condition that makes a finding, see docs/security.md',
  })
  @Allow()
  fail: unknown;
  /** which argument to change, and to what */
  @IsOptional()
  @IsString()
  @Length(1, 2_000)
  remediation?: string;
}
