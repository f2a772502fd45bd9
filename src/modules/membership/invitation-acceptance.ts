import { Injectable } from '@nestjs/common';
import { addressSubject, Administration, type Principal } from '../access/index.js';
import { Audit } from '../audit/index.js';
import { UserGrants } from '../capabilities/index.js';
import { Memberships, TenantsService } from '../tenants/index.js';
import { UserDirectory } from '../users/index.js';
import type { AcceptedInvitationView, InvitationPreviewView } from './dto/invitations.dto.js';
import type { InvitationEntity } from './entities/invitation.entity.js';
import { InvitationLinks } from './invitation-links.store.js';
import { maskEmail } from './invitation.rules.js';
import { InvitationQueries } from './invitations.queries.js';
import { membershipErrors } from './membership.errors.js';

/** The invited side: look at an invitation, accept it. */
@Injectable()
export class InvitationAcceptance {
  constructor(
    private readonly links: InvitationLinks,
    private readonly administration: Administration,
    private readonly tenants: TenantsService,
    private readonly memberships: Memberships,
    private readonly grants: UserGrants,
    private readonly users: UserDirectory,
    private readonly queries: InvitationQueries,
    private readonly audit: Audit,
  ) {}

  /** Anyone who has the link may read these fields, and no others. */
  async preview(token: string | undefined, address: string): Promise<InvitationPreviewView> {
    await this.links.limit(`address:${addressSubject(address)}`);
    const found = await this.links.requirePending(await this.links.find(String(token ?? '')));
    return {
      tenant_name: (await this.tenants.find(found.tenantId)).name,
      inviter_name: await this.queries.nameOf(found.invitedBy),
      role: found.role,
      status: 'pending',
      expires_at: found.expiresAt.toISOString(),
      invited_email_masked: maskEmail(found.email),
    };
  }

  /** One acceptance wins; the same person may repeat it. An admin invitation adds the tenant to the admin grant. */
  async accept(caller: Principal, token: string, address: string): Promise<AcceptedInvitationView> {
    await this.links.limit(`address:${addressSubject(address)}`);
    await this.links.limit(`account:${caller.userId}`);
    return this.administration.change(caller, async (current) => {
      const found = await this.links.lock(token);
      const repeated = found?.status === 'accepted' && found.acceptedBy === current.userId;
      const invitation = repeated ? found : await this.links.requirePending(found);
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
    await this.links.markAccepted(id, caller.userId);
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
}
