import { AppError, defineErrors } from '../../platform/errors/index.js';

export const membershipErrors = defineErrors({
  MEMBER_NOT_FOUND: [404, 'the user is not a member of this tenant'],
  LAST_TENANT_ADMIN: [409, 'the last administrator of a tenant stays one, and a member'],
  GRANT_WIDER_THAN_TENANT: [409, 'the grant of this member reaches beyond this tenant'],
  INVITATION_NOT_FOUND: [404, 'there is no such invitation'],
  INVITATION_EXISTS: [409, 'this address has a live invitation'],
  INVITATION_NOT_PENDING: [409, 'the invitation was accepted or revoked'],
  INVITATION_EXPIRED: [410, 'the invitation has expired'],
});

/** The same id as in user management, where it is a 400 (contract-notes.md section 2). */
export function cannotActOnSelf(): AppError {
  return new AppError('CANNOT_ACT_ON_SELF', 409, 'nobody can do this to themselves');
}
