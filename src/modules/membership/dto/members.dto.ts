import { IsBoolean, IsOptional, IsUUID } from 'class-validator';
import type { UserType } from '../../access/index.js';
import type { MemberScope } from '../member-scope.rules.js';

export class AddMemberBody {
  @IsUUID()
  user_id: string;
}

export class SetRoleBody {
  /** absent leaves the right as it is */
  @IsOptional()
  @IsBoolean()
  tenant_admin?: boolean;

  /** absent leaves the right as it is */
  @IsOptional()
  @IsBoolean()
  can_manage_users?: boolean;
}

export class MemberView {
  user_id: string;
  name: string;
  email?: string;
  type: UserType;
  joined_at: string;
  admin_scope: MemberScope;
  users_manage_scope: MemberScope;
}

export class MemberPageView {
  members: MemberView[];
  total_count: number;
  limit: number;
  has_more: boolean;
  next_cursor: string | null;
}

export class RemovedMemberView {
  user_id: string;
  removed: boolean;
}
