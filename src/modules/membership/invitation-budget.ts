import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { UnitOfWork } from '../../platform/database/index.js';
import { InvitationSendingEntity } from './entities/invitation-sending.entity.js';
import { httpErrors } from '../../platform/errors/index.js';
import { Clock } from '../../platform/time/clock.js';

const HOUR = 3_600;
const DAY = 86_400;

/** How many invitations may be sent: by one person in an hour, by one tenant in a day. */
@Injectable()
export class InvitationBudget {
  constructor(
    private readonly config: Config,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  /** Inside a unit of work with the tenant's row locked. 429 when a budget is spent. */
  async spend(tenantId: string, inviterId: string): Promise<void> {
    await this.check('inviter_id', inviterId, HOUR, this.config.get('SERVICE_INVITES_PER_INVITER_HOUR'));
    await this.check('tenant_id', tenantId, DAY, this.config.get('SERVICE_INVITES_PER_TENANT_DAY'));
    await this.work.manager.insert(InvitationSendingEntity, {
      tenantId,
      inviterId,
      sentAt: this.clock.now(),
    });
  }

  private async check(
    column: 'inviter_id' | 'tenant_id',
    id: string,
    seconds: number,
    limit: number,
  ): Promise<void> {
    const now = this.clock.now().getTime();
    // The oldest of the last `limit` sendings: when it lies in the window, the budget is spent until it leaves it.
    const [row] = await this.work.query<{ sent_at: Date }>(
      `SELECT sent_at FROM invitation_sendings WHERE ${column} = $1 ORDER BY sent_at DESC OFFSET $2 LIMIT 1`,
      [id, limit - 1],
    );
    const free = row ? row.sent_at.getTime() + seconds * 1000 : 0;
    if (free > now) {
      const wait = String(Math.max(1, Math.ceil((free - now) / 1000)));
      throw httpErrors.RATE_LIMITED('too many invitations, try again later', { 'Retry-After': wait });
    }
  }
}
