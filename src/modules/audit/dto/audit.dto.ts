import { IsOptional, IsString, IsUUID, MaxLength } from 'class-validator';
import { CursorQuery } from '../../../platform/http/cursor-page.js';

export class ListAuditQuery extends CursorQuery {
  /** id of the user who did it */
  @IsOptional()
  @IsUUID()
  actor?: string;

  /** exact action, or a prefix that ends in `*` */
  @IsOptional()
  @IsString()
  @MaxLength(100)
  action?: string;

  /** earliest time, inclusive; a bare date is its beginning */
  @IsOptional()
  @IsString()
  from?: string;

  /** latest time, inclusive; a bare date is its end */
  @IsOptional()
  @IsString()
  to?: string;
}

export class AuditActorView {
  id: string;
  name: string;
  /** `session:<id>` or `key:<id>` */
  credential?: string;
}

export class AuditEntryView {
  id: string;
  created_at: string;
  /** absent when nobody was signed in */
  actor?: AuditActorView;
  action: string;
  object_type: string;
  object_id?: string;
  tenant_id?: string;
  request_id?: string;
  data: Record<string, unknown>;
}

export class AuditPageView {
  entries: AuditEntryView[];
  total_count: number;
  limit: number;
  has_more: boolean;
  next_cursor: string | null;
}
