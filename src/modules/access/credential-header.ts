import type { IncomingHttpHeaders } from 'node:http';

export const SESSION_COOKIE = 'session';

/** Far above any token of ours; longer ones are not worth hashing. */
const LONGEST_CREDENTIAL = 8192;

/**
 * The credential a request carries: bearer, the password of HTTP Basic (any user name: Terraform's `http` backend can
 * send nothing else), or the session cookie. An Authorization header that holds none hides the cookie.
 */
export function credentialOf(headers: IncomingHttpHeaders): string | undefined {
  const credential = headers.authorization
    ? fromAuthorization(headers.authorization)
    : fromCookie(headers.cookie);
  return credential && credential.length <= LONGEST_CREDENTIAL ? credential : undefined;
}

/** Whether the request's credential is the session cookie, which browsers send by themselves. */
export function usesSessionCookie(headers: IncomingHttpHeaders): boolean {
  return !headers.authorization && fromCookie(headers.cookie) !== undefined;
}

function fromAuthorization(header: string): string | undefined {
  const [, scheme = '', value = ''] = /^(\S+) +(\S+) *$/.exec(header) ?? [];
  switch (scheme.toLowerCase()) {
    case 'bearer':
      return value;
    case 'basic': {
      const pair = Buffer.from(value, 'base64').toString();
      const colon = pair.indexOf(':');
      return colon < 0 ? undefined : pair.slice(colon + 1);
    }
    default:
      return undefined;
  }
}

function fromCookie(header: string | undefined): string | undefined {
  for (const pair of header?.split(';') ?? []) {
    const equals = pair.indexOf('=');
    if (equals > 0 && pair.slice(0, equals).trim() === SESSION_COOKIE)
      return pair.slice(equals + 1).trim() || undefined;
  }
  return undefined;
}
