import { defineErrors } from '../../platform/errors/index.js';

export const userErrors = defineErrors({
  USER_NOT_FOUND: [404, 'user does not exist'],
  CANNOT_REMOVE_LAST_ADMIN: [400, 'the last installation administrator cannot lose that right'],
  CANNOT_DELETE_LAST_ADMIN: [400, 'the last installation administrator cannot be deleted'],
  CANNOT_DELETE_OWN_ACCOUNT: [400, 'you cannot delete your own account'],
  CANNOT_ACT_ON_SELF: [400, 'you cannot revoke this right from yourself'],
  WRONG_CURRENT_PASSWORD: [400, 'the current password is wrong'],
  EMAIL_TAKEN: [409, 'another user has this email address'],
});
