import { identityOf, isAllowedDomain } from './identity.rules.js';
import { browserPath, ownDestination } from '../../platform/http/index.js';

const BASE = 'https://infra.example.com';

describe('Signing in', () => {
  it.each([
    ['/states?x=1#y', '/states?x=1#y'],
    [`${BASE}/states`, `${BASE}/states`],
    [undefined, BASE],
    ['', BASE],
    ['https://evil.example', BASE],
    ['//evil.example', BASE],
    ['/\\evil.example', BASE],
    ['/\t/evil.example', BASE],
    ['/.//evil.example', BASE],
    ['https:evil.example', `${BASE}/evil.example`],
    ['javascript:alert(1)', BASE],
    ['https://infra.example.com@evil.example', BASE],
    ['https://infra.example.com.evil.example', BASE],
    ['http://infra.example.com', BASE],
  ])('with rd %j ends at %j', (rd, expected) => {
    expect(ownDestination(rd, BASE)).toBe(expected);
  });

  it.each([
    [BASE, '/api/v1/x'],
    [`${BASE}/`, '/api/v1/x'],
    [`${BASE}/infra/state`, '/infra/state/api/v1/x'],
    [`${BASE}/infra/state/`, '/infra/state/api/v1/x'],
  ])('redirects below the path of %s', (uiBase, expected) => {
    expect(browserPath(uiBase, '/api/v1/x')).toBe(expected);
  });

  it('wants an address that the provider does not call unverified', () => {
    const claims = { iss: 'i', sub: 's', email: 'a@b.example' };
    expect(identityOf(claims, 'groups')).toEqual({
      subject: 'i|s',
      email: 'a@b.example',
      emailVerified: false,
      name: 'a',
      groups: [],
    });
    expect(identityOf({ ...claims, email_verified: false }, 'groups')).toBeUndefined();
    expect(identityOf({ iss: 'i', sub: 's' }, 'groups')).toBeUndefined();
    expect(identityOf({ ...claims, roles: ['x', 1] }, 'roles')?.groups).toEqual(['x']);
  });

  it('lets exactly one domain in, or all', () => {
    expect(isAllowedDomain('a@Example.com', 'example.com')).toBe(true);
    expect(isAllowedDomain('a@sub.example.com', 'example.com')).toBe(false);
    expect(isAllowedDomain('a@example.com@evil.example', 'example.com')).toBe(false);
    expect(isAllowedDomain('a@anything.example', '*')).toBe(true);
  });
});
