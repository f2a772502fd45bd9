import { ApiProperty } from '@nestjs/swagger';
import { IsEmail, IsOptional, IsString, Length, MaxLength } from 'class-validator';
import { Name, Trimmed } from '../../../platform/http/index.js';
import type { Grants } from '../../access/index.js';
import { GRANTS_SCHEMA } from '../../capabilities/index.js';
import { LONGEST_PASSWORD, SHORTEST_PASSWORD, UserView } from '../../users/index.js';

export class PasswordLoginBody {
  @IsString()
  @MaxLength(255)
  email: string;

  @IsString()
  @MaxLength(1000)
  password: string;
}

export class PasswordLoginView {
  session_token: string;
  success: boolean;
}

export class SetupStatusView {
  /** true when no users exist */
  needs_setup: boolean;

  /** present, and true, when the first administrator is created with `setup_token` */
  needs_token?: boolean;
}

export class SetupAdminBody {
  @Trimmed()
  @IsEmail()
  @MaxLength(255)
  email: string;

  @IsString()
  @Length(SHORTEST_PASSWORD, LONGEST_PASSWORD)
  password: string;

  @Name()
  name: string;

  /** name of the first tenant */
  @Name()
  organization: string;

  /** the value of SERVICE_SETUP_TOKEN, where that is set */
  @IsOptional()
  @IsString()
  @MaxLength(1000)
  setup_token?: string;
}

export class SetupAdminView {
  session_token: string;
  user_id: string;
}

export class EmptyView {}

export class RedirectQuery {
  /** where to go afterwards, on this service only */
  @IsOptional()
  @IsString()
  rd?: string;
}

export class LoginOptionView {
  name: string;
  display_name: string;
  url: string;
}

export class LoginOptionsView {
  options: LoginOptionView[];
}

export class CurrentUserView extends UserView {
  @ApiProperty(GRANTS_SCHEMA)
  capabilities: Grants;
}
