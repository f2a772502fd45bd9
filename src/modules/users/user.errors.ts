import { defineErrors } from '../../platform/errors/index.js';

export const userErrors = defineErrors({
  USER_NOT_FOUND: [404, 'user not found'],
  CANNOT_REMOVE_LAST_ADMIN: [400, 'an installation must keep at least one installation administrator'],
  CANNOT_DELETE_LAST_ADMIN: [
    400,
    'the last installation administrator cannot be deleted; appoint another one first',
  ],
  CANNOT_DELETE_OWN_ACCOUNT: [400, 'you cannot delete your own account'],
  CANNOT_ACT_ON_SELF: [400, 'you cannot revoke your own right as installation administrator'],
  WRONG_CURRENT_PASSWORD: [400, 'the current password is wrong'],
  EMAIL_TAKEN: [409, 'another user has this email address'],
});
