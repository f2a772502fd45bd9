import type { InvitationEntity } from './entities/invitation.entity.js';

export type InvitationStatus = 'pending' | 'accepted' | 'revoked' | 'expired';

export function statusAt(
  invitation: Pick<InvitationEntity, 'status' | 'expiresAt'>,
  now: Date,
): InvitationStatus {
  return invitation.status === 'pending' && invitation.expiresAt <= now ? 'expired' : invitation.status;
}

/** `j***@example.com`: the first character and the domain. */
export function maskEmail(email: string): string {
  const at = email.lastIndexOf('@');
  const [first = ''] = email;
  return `${first}***${at < 0 ? '' : email.slice(at)}`;
}

/** Whole seconds until another sending is allowed; 0 when it is. */
export function cooldownLeft(sentAt: Date, cooldownSeconds: number, now: Date): number {
  return Math.max(0, Math.ceil((sentAt.getTime() + cooldownSeconds * 1000 - now.getTime()) / 1000));
}
