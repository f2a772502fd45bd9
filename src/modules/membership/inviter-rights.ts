import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../platform/database/index.js';
import { HandlesEvent } from '../../platform/events/index.js';
import { covers, Principals } from '../access/index.js';
import { Audit } from '../audit/index.js';
import { RightsReduced } from '../capabilities/index.js';
import { Memberships } from '../tenants/index.js';
import { InvitationEntity } from './entities/invitation.entity.js';

type Invited = Pick<InvitationEntity, 'tenantId' | 'role' | 'invitedBy'>;

/** An invitation ends with the right of whoever sent it to invite to that role. */
@Injectable()
export class InviterRights {
  constructor(
    private readonly work: UnitOfWork,
    private readonly principals: Principals,
    private readonly memberships: Memberships,
    private readonly audit: Audit,
  ) {}

  /** Whether any credential of the inviter still holds the right. */
  async stillHold({ tenantId, role, invitedBy }: Invited): Promise<boolean> {
    const held = await this.principals.heldBy(invitedBy);
    if (covers(held, { capability: 'admin', tenantId })) return true;
    if (role === 'admin' || !covers(held, { capability: 'users-manage', tenantId })) return false;
    return this.memberships.has(tenantId, invitedBy);
  }

  @HandlesEvent(RightsReduced)
  async revokeInvitations({ userId }: RightsReduced): Promise<void> {
    const pending = await this.work.query<Invited & { id: string }>(
      `SELECT id, role, tenant_id AS "tenantId", invited_by AS "invitedBy" FROM invitations
        WHERE invited_by = $1 AND status = 'pending' ORDER BY id FOR UPDATE`,
      [userId],
    );
    for (const invitation of pending) {
      if (await this.stillHold(invitation)) continue;
      const { id, tenantId, role } = invitation;
      await this.work.manager.update(InvitationEntity, { id }, { status: 'revoked' });
      await this.audit.record({
        action: 'invitation.revoke',
        objectType: 'invitation',
        objectId: id,
        tenantId,
        data: { role, reason: 'the inviter lost the right to invite' },
      });
    }
  }
}
