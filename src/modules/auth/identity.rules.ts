import { isStorable } from '../../platform/database/storable-text.js';
import type { IdentityClaims } from './sign-in-client.js';

export interface Identity {
  /** issuer and subject: the only name at the provider that never changes hands */
  subject: string;
  email: string;
  /** the provider vouches for the address */
  emailVerified: boolean;
  name: string;
  avatarUrl?: string;
  groups: string[];
}

/** Undefined when the claims lack an address, or the provider says that it is not verified. */
export function identityOf(claims: IdentityClaims, groupsClaim: string): Identity | undefined {
  const { email, email_verified: verified, name, preferred_username: login, picture } = claims;
  if (
    typeof email !== 'string' ||
    !/^[^@\s]+@[^@\s]+$/.test(email) ||
    !isStorable(`${email}${claims.iss}${claims.sub}`) ||
    verified === false ||
    verified === 'false'
  ) {
    return undefined;
  }
  const shown = [name, login].find(
    (text) => typeof text === 'string' && text.trim() !== '' && isStorable(text),
  );
  return {
    subject: `${claims.iss}|${claims.sub}`,
    email,
    emailVerified: verified === true || verified === 'true',
    name: typeof shown === 'string' ? shown.trim().slice(0, 255) : (email.split('@')[0] ?? email),
    ...(typeof picture === 'string' && /^https?:\/\/[\x21-\x7e]+$/.test(picture)
      ? { avatarUrl: picture.slice(0, 2048) }
      : {}),
    groups: groupsIn(claims[groupsClaim]),
  };
}

/** `*` is every domain; otherwise exactly this one, no sub-domains. */
export function isAllowedDomain(email: string, domain: string): boolean {
  if (domain === '*') return true;
  return email.slice(email.lastIndexOf('@') + 1).toLowerCase() === domain.trim().toLowerCase();
}

function groupsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.filter((group): group is string => typeof group === 'string') : [];
}
