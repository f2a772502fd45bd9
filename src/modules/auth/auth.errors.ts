import { defineErrors } from '../../platform/errors/index.js';

export const authErrors = defineErrors({
  LOCAL_LOGIN_DISABLED: [403, 'password sign-in is disabled; use single sign-on'],
  SETUP_TOKEN_INVALID: [403, 'setup_token must be the value of SERVICE_SETUP_TOKEN'],
  SETUP_ALREADY_DONE: [409, 'setup is complete: the first administrator exists'],
  OAUTH_NOT_CONFIGURED: [503, 'this single sign-on provider is not configured'],
  LOGIN_ATTEMPT_INVALID: [403, 'this sign-in was not started in this browser, or has expired; start again'],
  LOGIN_FAILED: [401, 'the sign-in failed'],
});
