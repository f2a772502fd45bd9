import { AppError, defineErrors } from '../../platform/errors/index.js';

export const membershipErrors = defineErrors({
  MEMBER_NOT_FOUND: [404, 'the user is not a member of this tenant'],
  LAST_TENANT_ADMIN: [409, 'a tenant must keep at least one administrator'],
  GRANT_WIDER_THAN_TENANT: [
    409,
    "the member's grant extends beyond this tenant; only an installation administrator can change it",
  ],
  INVITATION_NOT_FOUND: [404, 'invitation not found'],
  INVITATION_EXISTS: [409, 'this address already has a pending invitation'],
  INVITATION_NOT_PENDING: [409, 'the invitation is not pending: it was accepted or revoked'],
  INVITATION_EXPIRED: [410, 'the invitation has expired'],
});

/** The same id as in user management, where it is a 400 (contract-notes.md section 2). */
export function cannotActOnSelf(): AppError {
  return new AppError('CANNOT_ACT_ON_SELF', 409, 'nobody can do this to themselves');
}
