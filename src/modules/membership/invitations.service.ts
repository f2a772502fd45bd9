import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { hashOfSecret, Secrets } from '../../platform/crypto/secrets.js';
import { UnitOfWork } from '../../platform/database/index.js';
import { httpErrors } from '../../platform/errors/index.js';
import { Clock } from '../../platform/time/clock.js';
import { accessErrors, Administration, covers, type Principal } from '../access/index.js';
import { Audit } from '../audit/index.js';
import type { CreateInvitationBody, SentInvitationView } from './dto/invitations.dto.js';
import { InvitationEntity } from './entities/invitation.entity.js';
import { InvitationBudget } from './invitation-budget.js';
import { InvitationMail } from './invitation-mail.js';
import { cooldownLeft } from './invitation.rules.js';
import { membershipErrors } from './membership.errors.js';
import { isUuid } from '../../platform/text/uuid.js';

/** The inviting side: create, reissue, revoke. */
@Injectable()
export class InvitationsService {
  constructor(
    private readonly config: Config,
    private readonly work: UnitOfWork,
    private readonly administration: Administration,
    private readonly budget: InvitationBudget,
    private readonly mail: InvitationMail,
    private readonly secrets: Secrets,
    private readonly audit: Audit,
    private readonly clock: Clock,
  ) {}

  async create(caller: Principal, tenantId: string, body: CreateInvitationBody): Promise<SentInvitationView> {
    if (body.tenant_admin) this.checkAdmin(caller, tenantId);
    const token = this.secrets.token(32);
    const invitation = await this.change(caller, tenantId, async (current) => {
      if (body.tenant_admin) this.checkAdmin(current, tenantId);
      await this.lockTenant(tenantId);
      await this.checkNoneLive(tenantId, body.email);
      await this.budget.spend(tenantId, current.userId);
      const now = this.clock.now();
      const created = this.work.manager.create(InvitationEntity, {
        tenantId,
        email: body.email,
        role: body.tenant_admin ? 'admin' : 'member',
        status: 'pending',
        tokenHash: hashOfSecret(token),
        invitedBy: current.userId,
        createdAt: now,
        expiresAt: this.expiryFrom(now),
        sentAt: now,
        sendCount: 1,
        delivered: null,
        acceptedBy: null,
      });
      await this.work.manager.save(created);
      await this.record(current, 'invitation.create', created);
      return created;
    });
    return this.mail.send(invitation, token);
  }

  /** A new token, lifetime and send count; the old link stops working. */
  async reissue(caller: Principal, tenantId: string, id: string | undefined): Promise<SentInvitationView> {
    const token = this.secrets.token(32);
    const invitation = await this.change(caller, tenantId, async (current) => {
      await this.lockTenant(tenantId);
      const found = await this.lock(tenantId, id);
      if (found.role === 'admin') this.checkAdmin(current, tenantId);
      if (found.status !== 'pending') throw membershipErrors.INVITATION_NOT_PENDING();
      const now = this.clock.now();
      const wait = cooldownLeft(found.sentAt, this.config.get('SERVICE_INVITE_COOLDOWN_SECONDS'), now);
      if (wait > 0)
        throw httpErrors.RATE_LIMITED('the invitation was sent a moment ago; try again later', {
          'Retry-After': String(wait),
        });
      await this.checkNoneLive(tenantId, found.email, found.id);
      await this.budget.spend(tenantId, current.userId);
      // The invitation ends with the right of whoever sent it last.
      found.invitedBy = current.userId;
      found.tokenHash = hashOfSecret(token);
      found.expiresAt = this.expiryFrom(now);
      found.sentAt = now;
      found.sendCount = 1;
      found.delivered = null;
      await this.work.manager.save(found);
      await this.record(current, 'invitation.reissue', found);
      return found;
    });
    return this.mail.send(invitation, token);
  }

  async revoke(caller: Principal, tenantId: string, id: string | undefined): Promise<void> {
    await this.change(caller, tenantId, async (current) => {
      const invitation = await this.lock(tenantId, id);
      if (invitation.status !== 'pending') throw membershipErrors.INVITATION_NOT_PENDING();
      await this.work.manager.update(InvitationEntity, { id: invitation.id }, { status: 'revoked' });
      await this.record(current, 'invitation.revoke', invitation);
    });
  }

  private change<T>(
    caller: Principal,
    tenantId: string,
    task: (current: Principal) => Promise<T>,
  ): Promise<T> {
    const required = { capability: 'users-manage', tenantId: tenantId.toLowerCase() } as const;
    return this.administration.change(caller, task, required);
  }

  private checkAdmin(caller: Principal, tenantId: string): void {
    const required = { capability: 'admin', tenantId: tenantId.toLowerCase() } as const;
    if (!covers(caller.capabilities, required)) throw accessErrors.CAPABILITY_UNAUTHORIZED();
  }

  private async checkNoneLive(tenantId: string, email: string, except?: string): Promise<void> {
    const live = await this.work.query(
      `SELECT id FROM invitations
        WHERE tenant_id = $1 AND lower(email) = lower($2) AND status = 'pending' AND expires_at > $3
          AND id IS DISTINCT FROM $4`,
      [tenantId, email, this.clock.now(), except ?? null],
    );
    if (live.length > 0) throw membershipErrors.INVITATION_EXISTS();
  }

  private async lock(tenantId: string, id: string | undefined): Promise<InvitationEntity> {
    const invitation = isUuid(id)
      ? await this.work.manager.findOne(InvitationEntity, {
          where: { id, tenantId },
          lock: { mode: 'pessimistic_write' },
        })
      : null;
    if (!invitation) throw membershipErrors.INVITATION_NOT_FOUND();
    return invitation;
  }

  /** Serializes the invitations of a tenant, so that pending ones and budgets are counted right. */
  private async lockTenant(tenantId: string): Promise<void> {
    await this.work.query('SELECT id FROM tenants WHERE id = $1 FOR NO KEY UPDATE', [tenantId]);
  }

  private expiryFrom(now: Date): Date {
    return new Date(now.getTime() + this.config.get('SERVICE_INVITE_LIFETIME_SECONDS') * 1000);
  }

  private async record(
    actor: Principal,
    action: string,
    { id, tenantId, email, role }: InvitationEntity,
  ): Promise<void> {
    await this.audit.record({
      actor,
      action,
      objectType: 'invitation',
      objectId: id,
      tenantId,
      data: { email, role },
    });
  }
}
