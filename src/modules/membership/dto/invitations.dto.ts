import { IsBoolean, IsEmail, IsOptional, IsString, MaxLength } from 'class-validator';
import { Trimmed } from '../../../platform/http/index.js';
import type { InvitationRole } from '../entities/invitation.entity.js';
import type { InvitationStatus } from '../invitation.rules.js';

export class CreateInvitationBody {
  @Trimmed()
  @IsEmail()
  @MaxLength(255)
  email: string;

  @IsOptional()
  @IsBoolean()
  tenant_admin?: boolean;
}

export class AcceptInvitationBody {
  @IsString()
  @MaxLength(200)
  token: string;
}

export class InvitationView {
  id: string;
  email: string;
  role: InvitationRole;
  status: InvitationStatus;
  invited_by_name: string;
  created_at: string;
  expires_at: string;
  send_count: number;
  /** absent when delivery was never tried */
  delivered?: boolean;
}

/** What became of the mail; the link works whatever it is. */
export type Delivery =
  | 'emailed'
  | 'not_configured'
  | 'no_provider_key'
  | 'inviter_has_no_email'
  | 'transport_failed';

export class SentInvitationView {
  invitation: InvitationView;
  invite_url: string;
  delivery: Delivery;
}

export class InvitationPageView {
  invitations: InvitationView[];
  total_count: number;
  limit: number;
  has_more: boolean;
  next_cursor: string | null;
}

export class InvitationPreviewView {
  tenant_name: string;
  inviter_name: string;
  role: InvitationRole;
  status: InvitationStatus;
  expires_at: string;
  invited_email_masked: string;
}

export class AcceptedInvitationView {
  tenant_id: string;
  tenant_name: string;
  already_member: boolean;
  /** the invitation was for another address than the account's; it is reported, nothing more */
  email_mismatch: boolean;
}
