import type { Config } from '../../platform/config/config.js';
import type { LoginOptionView } from './dto/auth.dto.js';

const LABELS = { google: 'Google', oidc: 'Single sign-on' } as const;

/** One entry for the configured provider; none when people sign in with a password. */
export function loginOptions(values: Config['values']): LoginOptionView[] {
  const name = values.SERVICE_OAUTH_TYPE;
  if (!name) return [];
  const display_name = values.SERVICE_OAUTH_DISPLAY_NAME ?? LABELS[name];
  return [{ name, display_name, url: `/api/v1/login/${name}` }];
}
