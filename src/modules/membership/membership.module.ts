import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Mailer } from '../../platform/mail/mailer.js';
import { CapabilitiesModule } from '../capabilities/index.js';
import { TenantsModule } from '../tenants/index.js';
import { UsersModule } from '../users/index.js';
import { InvitationSendingEntity } from './entities/invitation-sending.entity.js';
import { InvitationEntity } from './entities/invitation.entity.js';
import { InvitationAcceptance } from './invitation-acceptance.js';
import { InvitationBudget } from './invitation-budget.js';
import { InvitationLinks } from './invitation-links.store.js';
import { InvitationMail } from './invitation-mail.js';
import { InvitationsController } from './invitations.controller.js';
import { InvitationQueries } from './invitations.queries.js';
import { InvitationsService } from './invitations.service.js';
import { InviterRights } from './inviter-rights.js';
import { MembersController } from './members.controller.js';
import { MemberQueries } from './members.queries.js';
import { MembersService } from './members.service.js';

@Module({
  imports: [
    CapabilitiesModule,
    TenantsModule,
    UsersModule,
    TypeOrmModule.forFeature([InvitationEntity, InvitationSendingEntity]),
  ],
  controllers: [MembersController, InvitationsController],
  providers: [
    InvitationAcceptance,
    InvitationBudget,
    InvitationLinks,
    InvitationMail,
    InvitationQueries,
    InvitationsService,
    InviterRights,
    Mailer,
    MemberQueries,
    MembersService,
  ],
})
export class MembershipModule {}
