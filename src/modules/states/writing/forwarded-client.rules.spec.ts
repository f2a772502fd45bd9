import { forwardedClientOf } from './forwarded-client.rules.js';

describe('The client that a proxy forwards for', () => {
  it.each([
    ['nothing', undefined, undefined, undefined],
    ['an address', undefined, '10.0.0.1', { address: '10.0.0.1', port: undefined }],
    ['a list of proxies', undefined, '10.0.0.1, 10.9.9.9', { address: '10.0.0.1', port: undefined }],
    ['a port in X-Forwarded-For', undefined, '10.0.0.1:4711', { address: '10.0.0.1', port: '4711' }],
    ['a port before a proxy', undefined, '10.0.0.1:4711, 10.9.9.9', { address: '10.0.0.1', port: undefined }],
    ['Forwarded with a port', 'for="10.0.0.1:4711"', undefined, { address: '10.0.0.1', port: '4711' }],
    ['both, of one client', 'for="10.0.0.1:4711"', '10.0.0.1', { address: '10.0.0.1', port: '4711' }],
    ['both, of two clients', 'for="10.9.9.9:4711"', '10.0.0.1', { address: '10.0.0.1', port: undefined }],
    ['an IPv6 address', 'for="[2001:db8::1]:4711"', undefined, { address: '2001:db8::1', port: '4711' }],
    [
      'IPv6 without a port',
      'For="[2001:db8::1]"',
      '2001:db8::1',
      { address: '2001:db8::1', port: undefined },
    ],
    ['bare IPv6', undefined, '2001:db8::1', { address: '2001:db8::1', port: undefined }],
    ['no port after the colon', 'for="10.0.0.1:"', '10.0.0.1', { address: '10.0.0.1', port: undefined }],
    [
      'several elements',
      'for="10.0.0.1:1", for="10.9.9.9:2"',
      undefined,
      { address: '10.0.0.1', port: undefined },
    ],
    [
      'other parameters',
      'proto=https;for=10.0.0.1;by=x',
      undefined,
      { address: '10.0.0.1', port: undefined },
    ],
  ])('is told from %s', (_what, forwarded, forwardedFor, client) => {
    expect(forwardedClientOf(forwarded, forwardedFor)).toEqual(client);
  });

  it('never has an address longer than an index entry may be', () => {
    expect(forwardedClientOf(undefined, 'x'.repeat(5000))?.address).toHaveLength(200);
  });
});
