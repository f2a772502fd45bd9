import { defineErrors } from '../../platform/errors/index.js';

export const authErrors = defineErrors({
  LOCAL_LOGIN_DISABLED: [403, 'people sign in through single sign-on here'],
  SETUP_TOKEN_INVALID: [403, 'setup_token must be the value of SERVICE_SETUP_TOKEN'],
  SETUP_ALREADY_DONE: [409, 'the first administrator exists'],
  OAUTH_NOT_CONFIGURED: [503, 'this single sign-on provider is not configured'],
  LOGIN_ATTEMPT_INVALID: [403, 'this sign-in was not begun here, or is over; begin again'],
  LOGIN_FAILED: [401, 'the sign-in failed'],
});
