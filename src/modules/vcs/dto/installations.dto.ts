import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { Equals, IsInt, IsOptional, IsString, IsUUID, Length, Matches, Max, Min } from 'class-validator';
import { RowLimit } from '../../../platform/http/index.js';
import type { InstallationState, InstallationTarget, Provider } from '../entities/installation.entity.js';

/** Null counts as absent: `IsOptional` would let it pass. */
const trim = ({ value }: { value: unknown }) =>
  typeof value === 'string' ? value.trim() : (value ?? undefined);
const wholeNumber = ({ value }: { value: unknown }) =>
  typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;

/** A token is sent to the provider as a header. The description takes the pattern from the decorators. */
const ASCII_ONLY = { message: 'access_token must consist of visible ASCII characters' };

/** An installation that is linked to the tenant. */
export class TenantInstallationView {
  provider: Provider;
  /** ours; stays the same when the app is uninstalled and installed again */
  installation_core_id: string;
  /** the provider's own id */
  installation_id: string;
  /** login of the account, path of the group */
  name: string;
  state: InstallationState;
  created_at: string;
  updated_at: string;
  /** when it was linked to the tenant */
  linked_at?: string;
}

export class TenantInstallationListView {
  results: TenantInstallationView[];
}

/** An installation of the app, as somebody who administers it sees it. */
export class ClaimableInstallationView {
  /** ours, for the claim */
  installation_core_id: string;
  /** the provider's own id */
  github_id: string;
  /** organization or person */
  login: string;
  target_type: InstallationTarget;
  state: InstallationState;
  created_at: string;
}

export class ClaimableListView {
  results: ClaimableInstallationView[];
}

export class UnclaimedListView {
  results: ClaimableInstallationView[];
  limit: number;
  has_more: boolean;
  @ApiProperty({ type: String, nullable: true, description: 'null at the end' })
  next_cursor: string | null;
}

export class UnclaimedQuery {
  /** value of the previous `next_cursor` */
  @IsOptional()
  @IsString()
  cursor?: string;

  @RowLimit(100)
  limit?: number;
}

export class ClaimInstallationBody {
  /** one of those that `claimable` lists */
  @IsUUID()
  installation_core_id: string;
}

export class ProvisionGroupBody {
  @Transform(trim)
  @IsString()
  @Length(1, 255)
  name: string;

  /** the provider's numeric id of the group */
  @ApiProperty({ type: 'integer', description: "the provider's numeric id of the group" })
  @Transform(wholeNumber)
  @IsInt()
  @Min(1)
  @Max(999_999_999_999_999)
  group_id: number;

  /** group access token with the scope `api` and the role Maintainer */
  @Transform(trim)
  @IsString()
  @Length(1, 1000)
  @Matches(/^[!-~]+$/, ASCII_ONLY)
  access_token: string;
}

export class GroupView {
  /** the provider's numeric id of the group */
  group_id: number;
  name: string;
  state: InstallationState;
  /** id of the installation that the group is */
  installation_core_id: string;
  /** where the group's webhook sends its deliveries */
  webhook_url: string;
  /** shown once, when it is made */
  webhook_secret?: string;
}

export class NewGroupView extends GroupView {
  /** shown once */
  declare webhook_secret: string;
}

export class ChangeGroupBody {
  /** replaces the token with which the provider is called */
  @IsOptional()
  @Transform(trim)
  @IsString()
  @Length(1, 1000)
  @Matches(/^[!-~]+$/, ASCII_ONLY)
  access_token?: string;

  /** makes a new webhook secret; deliveries with the former one are refused */
  @IsOptional()
  @Equals(true)
  regenerate_webhook_secret?: boolean;
}

export class GroupTokenBody {
  /** group access token with the scope `api` and the role Maintainer */
  @Transform(trim)
  @IsString()
  @Length(1, 1000)
  @Matches(/^[!-~]+$/, ASCII_ONLY)
  access_token: string;
}

/** A group that the caller may connect. */
export class ConnectableGroupView {
  /** the provider's numeric id */
  id: number;
  name: string;
}

export class GroupWebhookView {
  state: InstallationState;
  /** secret token for the group's webhook; shown once */
  webhook_secret: string;
  /** where the group's webhook sends its deliveries */
  webhook_url: string;
}

/** What an installation may use. */
export class TierView {
  name: string;
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'limits of the tier; empty when there are none',
  })
  features: Record<string, never>;
}

/** An installation of one of the caller's tenants. */
export class InstallationView {
  /** the provider's own id */
  id: string;
  /** login of the account, path of the group */
  name: string;
  account_status: InstallationState;
  created_at: string;
  tier: TierView;
  /** absent when there is no trial */
  trial_ends_at?: string;
}

export class InstallationListView {
  /** those that the caller may see */
  installations: InstallationView[];
}

/** Nothing but the status. */
export class NoContentView {}
