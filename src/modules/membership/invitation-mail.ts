import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { UnitOfWork } from '../../platform/database/index.js';
import { consoleAddress } from '../../platform/http/index.js';
import { Mailer } from '../../platform/mail/mailer.js';
import { TenantsService } from '../tenants/index.js';
import { UserDirectory } from '../users/index.js';
import type { Delivery, SentInvitationView } from './dto/invitations.dto.js';
import { InvitationEntity } from './entities/invitation.entity.js';
import { InvitationQueries } from './invitations.queries.js';

/** Sends invitations. Delivery is best effort: the link works even when the mail fails. */
@Injectable()
export class InvitationMail {
  constructor(
    private readonly config: Config,
    private readonly work: UnitOfWork,
    private readonly mailer: Mailer,
    private readonly users: UserDirectory,
    private readonly tenants: TenantsService,
    private readonly queries: InvitationQueries,
  ) {}

  /** Call it outside the unit of work that made the invitation: a mail server may be slow. */
  async send(invitation: InvitationEntity, token: string): Promise<SentInvitationView> {
    const tenant = await this.tenants.find(invitation.tenantId);
    const link = consoleAddress(this.config.get('SERVICE_UI_BASE'), 'invitations/accept', { token });
    const delivery = await this.deliver(invitation, tenant.name, link);
    const inviterName = await this.queries.nameOf(invitation.invitedBy);
    return { invitation: this.queries.view(invitation, inviterName), invite_url: link, delivery };
  }

  private async deliver(invitation: InvitationEntity, tenantName: string, link: string): Promise<Delivery> {
    if (!this.mailer.isConfigured) return 'not_configured';
    const inviter = await this.users.find(invitation.invitedBy);
    if (inviter.email === null) return 'inviter_has_no_email';
    const delivered = await this.mailer.send({
      to: invitation.email,
      replyTo: inviter.email,
      subject: oneLine(`${inviter.name} invites you to ${tenantName}`),
      text: [
        `${inviter.name} invites you to join ${tenantName} on the Infrastructure State Service.`,
        `Accept the invitation here: ${link}`,
        `The link works until ${invitation.expiresAt.toISOString()}.`,
      ].join('\n\n'),
    });
    invitation.delivered = delivered;
    await this.work.manager.update(InvitationEntity, { id: invitation.id }, { delivered });
    return delivered ? 'emailed' : 'transport_failed';
  }
}

function oneLine(text: string): string {
  return text.replace(/[\r\n]+/g, ' ').slice(0, 200);
}
