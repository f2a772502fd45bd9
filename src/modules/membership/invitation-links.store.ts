import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { hashOfSecret } from '../../platform/crypto/secrets.js';
import { UnitOfWork } from '../../platform/database/index.js';
import { Clock } from '../../platform/time/clock.js';
import { RateLimits } from '../access/index.js';
import { InvitationEntity } from './entities/invitation.entity.js';
import { statusAt } from './invitation.rules.js';
import { InviterRights } from './inviter-rights.js';
import { membershipErrors } from './membership.errors.js';

/** Invitations by the token of their link. */
@Injectable()
export class InvitationLinks {
  constructor(
    private readonly config: Config,
    private readonly work: UnitOfWork,
    private readonly limits: RateLimits,
    private readonly inviters: InviterRights,
    private readonly clock: Clock,
  ) {}

  /** Limits how many tokens one address or account may try. */
  async limit(subject: string): Promise<void> {
    const limit = this.config.get('SERVICE_INVITE_RATE_PER_ADDRESS');
    await this.limits.hit({ name: 'invitation', subject, limit, windowSeconds: 60 });
  }

  async find(token: string): Promise<InvitationEntity | null> {
    return this.work.manager.findOneBy(InvitationEntity, { tokenHash: hashOfSecret(token) });
  }

  async lock(token: string): Promise<InvitationEntity | null> {
    return this.work.manager.findOne(InvitationEntity, {
      where: { tokenHash: hashOfSecret(token) },
      lock: { mode: 'pessimistic_write' },
    });
  }

  /** An invitation is pending only while its inviter may still invite. */
  async requirePending(invitation: InvitationEntity | null): Promise<InvitationEntity> {
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

  async markAccepted(id: string, userId: string): Promise<void> {
    await this.work.manager.update(InvitationEntity, { id }, { status: 'accepted', acceptedBy: userId });
  }
}
