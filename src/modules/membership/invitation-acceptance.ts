import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { hashOfSecret } from '../../platform/crypto/secrets.js';
import { UnitOfWork } from '../../platform/database/index.js';
import { Clock } from '../../platform/time/clock.js';
import { addressSubject, Administration, type Principal, RateLimits } from '../access/index.js';
import { Audit } from '../audit/index.js';
import { UserGrants } from '../capabilities/index.js';
import { Memberships, TenantsService } from '../tenants/index.js';
import { UserDirectory } from '../users/index.js';
import type { AcceptedInvitationView, InvitationPreviewView } from './dto/invitations.dto.js';
import { InvitationEntity } from './entities/invitation.entity.js';
import { maskEmail, statusAt } from './invitation.rules.js';
import { InvitationQueries } from './invitations.queries.js';
import { InviterRights } from './inviter-rights.js';
import { membershipErrors } from './membership.errors.js';

/** The invited side: look at an invitation, accept it. */
@Injectable()
export class InvitationAcceptance {
  constructor(
    private readonly config: Config,
    private readonly work: UnitOfWork,
    private readonly administration: Administration,
    private readonly limits: RateLimits,
    private readonly tenants: TenantsService,
    private readonly memberships: Memberships,
    private readonly grants: UserGrants,
    private readonly users: UserDirectory,
    private readonly queries: InvitationQueries,
    private readonly inviters: InviterRights,
    private readonly audit: Audit,
    private readonly clock: Clock,
  ) {}

  /** Whoever holds the link learns no more than the fields of the answer. */
  async preview(token: string | undefined, address: string): Promise<InvitationPreviewView> {
    await this.limit(`address:${addressSubject(address)}`);
    const invitation = await this.work.manager.findOneBy(InvitationEntity, {
      tokenHash: hashOfSecret(String(token ?? '')),
    });
    const found = await this.live(invitation);
    return {
      tenant_name: (await this.tenants.find(found.tenantId)).name,
      inviter_name: await this.queries.nameOf(found.invitedBy),
      role: found.role,
      status: statusAt(found, this.clock.now()),
      expires_at: found.expiresAt.toISOString(),
      invited_email_masked: maskEmail(found.email),
    };
  }

  /** One acceptance wins; the same person may repeat it. An admin invitation adds the tenant to the admin grant. */
  async accept(caller: Principal, token: string, address: string): Promise<AcceptedInvitationView> {
    await this.limit(`address:${addressSubject(address)}`);
    await this.limit(`account:${caller.userId}`);
    return this.administration.change(caller, async (current) => {
      const found = await this.work.manager.findOne(InvitationEntity, {
        where: { tokenHash: hashOfSecret(token) },
        lock: { mode: 'pessimistic_write' },
      });
      const repeated = found?.status === 'accepted' && found.acceptedBy === current.userId;
      const invitation = repeated ? found : await this.live(found);
      const isMember = await this.memberships.has(invitation.tenantId, current.userId);
      if (repeated && !isMember) throw membershipErrors.INVITATION_NOT_PENDING(); // removed since: the link is spent
      if (!repeated) await this.join(current, invitation);
      const user = await this.users.find(current.userId);
      return {
        tenant_id: invitation.tenantId,
        tenant_name: (await this.tenants.find(invitation.tenantId)).name,
        already_member: isMember,
        email_mismatch: user.email?.toLowerCase() !== invitation.email.toLowerCase(),
      };
    });
  }

  private async join(caller: Principal, { id, tenantId, role }: InvitationEntity): Promise<void> {
    await this.memberships.add(tenantId, caller.userId);
    if (role === 'admin') await this.grants.extend(caller.userId, 'admin', tenantId);
    await this.work.manager.update(
      InvitationEntity,
      { id },
      { status: 'accepted', acceptedBy: caller.userId },
    );
    const data = { role };
    await this.audit.record({
      actor: caller,
      action: 'invitation.accept',
      objectType: 'invitation',
      objectId: id,
      tenantId,
      data,
    });
  }

  private async live(invitation: InvitationEntity | null): Promise<InvitationEntity> {
    if (!invitation) throw membershipErrors.INVITATION_NOT_FOUND();
    switch (statusAt(invitation, this.clock.now())) {
      case 'pending':
        if (!(await this.inviters.stillHold(invitation))) throw membershipErrors.INVITATION_NOT_PENDING();
        return invitation;
      case 'expired':
        throw membershipErrors.INVITATION_EXPIRED();
      case 'accepted':
      case 'revoked':
        throw membershipErrors.INVITATION_NOT_PENDING();
    }
  }

  private async limit(subject: string): Promise<void> {
    const limit = this.config.get('SERVICE_INVITE_RATE_PER_ADDRESS');
    await this.limits.hit({ name: 'invitation', subject, limit, windowSeconds: 60 });
  }
}
