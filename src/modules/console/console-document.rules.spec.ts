import fc from 'fast-check';
import {
  asksForPage,
  basePath,
  chooseEncoding,
  contentSecurityPolicy,
  documentFiller,
  isSignInStep,
} from './console-document.rules.js';

const browser = (path: string, method = 'GET') => ({ method, path, accept: 'text/html,*/*;q=0.8' });

describe('who gets the document of the console', () => {
  it.each(['/', '/login', '/tenants/x/states', '/states/backend/x', '/apidocs', '/healthy'])(
    'a browser that opens %s',
    (path) => {
      expect([asksForPage(browser(path)), asksForPage(browser(path, 'HEAD'))]).toEqual([true, true]);
    },
  );

  it.each(['/api', '/api/v1/whoami', '/API/v1', '/health/ready', '/oauth2/oidc/callback', '/assets/x.js'])(
    'nobody at %s',
    (path) => expect(asksForPage(browser(path))).toBe(false),
  );

  it.each([undefined, '*/*', 'application/json', 'application/xhtml+text/htmlx'])(
    'no program that accepts %s',
    (accept) => expect(asksForPage({ method: 'GET', path: '/', accept })).toBe(false),
  );

  it('no writing request gets the document of the console', () => {
    expect(['POST', 'PUT', 'DELETE', 'LOCK'].map((method) => asksForPage(browser('/', method)))).toEqual(
      Array(4).fill(false),
    );
  });
});

describe('a sign-in that fails on the way', () => {
  it.each(['/oauth2/oidc/callback', '/api/v1/login/oidc', '/api/v1/oauth2/google/complete'])(
    'ends on a page for a browser at %s, and on JSON for a program',
    (path) => {
      expect([isSignInStep(browser(path)), isSignInStep({ method: 'GET', path, accept: '*/*' })]).toEqual([
        true,
        false,
      ]);
    },
  );

  it('is not any other route', () => {
    expect(
      ['/api/v1/login/password/x', '/api/v1/whoami', '/login'].map((path) => isSignInStep(browser(path))),
    ).toEqual([false, false, false]);
  });
});

it('finds the path of the address that people browse', () => {
  expect(['http://h:1', 'https://h/', 'https://h/state', 'https://h/a/b/'].map(basePath)).toEqual([
    '/',
    '/',
    '/state/',
    '/a/b/',
  ]);
});

it('allows nothing inline, nothing evaluated and no other host', () => {
  fc.assert(
    fc.property(fc.base64String(), fc.boolean(), (nonce, secure) => {
      const policy = contentSecurityPolicy(nonce, { secure });
      expect(policy).not.toMatch(/unsafe-|blob:|https:|\s\*/);
      expect(policy.includes('upgrade-insecure-requests')).toBe(secure);
      expect(policy.split('; ')).toContain(`style-src 'self' 'nonce-${nonce}'`);
    }),
  );
});

it('fills every placeholder, and no value becomes markup', () => {
  const template =
    '<meta content="__SERVICE_BASE__"><meta content="__SERVICE_FAILURE__"><meta content="__SERVICE_SESSION__"><meta content="__SERVICE_EDITION__">' +
    '<script src="./assets/a.js" nonce="__CSP_NONCE__"></script>';
  const fill = documentFiller(template, { base: '/s"><script>/', edition: 'community' });
  expect(fill({ failure: '$&"<x>', nonce: 'n', hasSession: true })).toBe(
    '<meta content="/s&#34;&#62;&#60;script&#62;/"><meta content="$&#38;&#34;&#60;x&#62;"><meta content="present"><meta content="community">' +
      '<script src="/s&#34;&#62;&#60;script&#62;/assets/a.js" nonce="n"></script>',
  );
});

it.each([
  ['gzip, deflate, br', 'br'],
  ['gzip', 'gzip'],
  ['br;q=0, gzip;q=0.5', 'gzip'],
  ['BR', 'br'],
  ['identity', undefined],
  ['gzip;q=0.0', undefined],
  [undefined, undefined],
])('for Accept-Encoding %s sends %s', (accepted, encoding) =>
  expect(chooseEncoding(accepted)).toBe(encoding),
);
