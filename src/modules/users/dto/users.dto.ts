import { IsBoolean, IsEmail, IsIn, IsOptional, IsString, IsUrl, Length, MaxLength } from 'class-validator';
import { Name, Trimmed } from '../../../platform/http/index.js';
import { CursorQuery } from '../../../platform/http/cursor-page.js';
import type { UserType } from '../../access/index.js';
import { LONGEST_PASSWORD, SHORTEST_PASSWORD } from '../passwords.js';

export class ListUsersQuery extends CursorQuery {
  @IsOptional()
  @IsIn(['user', 'api', 'system'])
  type?: UserType;

  /** part of a name or an email address */
  @IsOptional()
  @IsString()
  @MaxLength(255)
  search?: string;
}

export class CreateUserBody {
  @Name()
  name: string;

  @IsOptional()
  @Trimmed()
  @IsEmail()
  @MaxLength(255)
  email?: string;

  @IsString()
  @Length(SHORTEST_PASSWORD, LONGEST_PASSWORD)
  password: string;

  @IsOptional()
  @IsBoolean()
  is_instance_admin?: boolean;
}

export class CreatedUserView {
  id: string;
  name: string;
  email?: string;
  is_instance_admin: boolean;
}

export class UpdateUserBody {
  @IsOptional()
  @Trimmed()
  @IsString()
  @Length(1, 255)
  name?: string;

  @IsOptional()
  @Trimmed()
  @IsEmail()
  @MaxLength(255)
  email?: string;

  @IsOptional()
  @IsUrl({ require_tld: false, protocols: ['http', 'https'], require_protocol: true })
  @MaxLength(2048)
  avatar_url?: string;

  @IsOptional()
  @IsBoolean()
  is_instance_admin?: boolean;
}

export class SetInstanceAdminBody {
  @IsBoolean()
  is_instance_admin: boolean;
}

export class InstanceAdminView {
  id: string;
  is_instance_admin: boolean;
}

export class ChangePasswordBody {
  @IsString()
  @Length(SHORTEST_PASSWORD, LONGEST_PASSWORD)
  new_password: string;

  /** needed when changing one's own password */
  @IsOptional()
  @IsString()
  @MaxLength(1000)
  current_password?: string;
}

export class PasswordChangedView {
  id: string;
  password_changed: boolean;
}

export class DeletedUserView {
  id: string;
  deleted: boolean;
}

export class AdminRightsView {
  is_instance_admin: boolean;
  is_tenant_admin: boolean;
}

export class UserView {
  id: string;
  name: string;
  email?: string;
  type: UserType;
  admin_rights: AdminRightsView;
  auth_origin?: string;
  avatar_url?: string;
  created_at: string;
}

export class UserPageView {
  users: UserView[];
  total_count: number;
  limit: number;
  has_more: boolean;
  next_cursor: string | null;
}
