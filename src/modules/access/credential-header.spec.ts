import { credentialOf } from './credential-header.js';
import { addressSubject } from './rate-limits.js';

const basic = (pair: string) => `Basic ${Buffer.from(pair).toString('base64')}`;

describe('The credential of a request', () => {
  it.each([
    ['bearer', { authorization: 'Bearer abc' }, 'abc'],
    ['bearer in any case', { authorization: 'bearer  abc ' }, 'abc'],
    ['the password of Basic with any user name', { authorization: basic('terraform:abc') }, 'abc'],
    ['a password with colons', { authorization: basic('u:a:b') }, 'a:b'],
    ['the session cookie among others', { cookie: 'a=1; session=abc; b=2' }, 'abc'],
    ['the header before the cookie', { authorization: 'Bearer key', cookie: 'session=abc' }, 'key'],
    ['no cookie behind a broken header', { authorization: 'Digest x', cookie: 'session=abc' }, undefined],
    ['no cookie of another name', { cookie: 'mysession=abc' }, undefined],
    ['nothing', {}, undefined],
    ['nothing absurdly long', { authorization: `Bearer ${'a'.repeat(9000)}` }, undefined],
  ])('is %s', (_name, headers, expected) => {
    expect(credentialOf(headers)).toBe(expected);
  });

  it('counts an IPv6 client by its /64', () => {
    expect(addressSubject('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2');
    expect(addressSubject('2001:db8::6')).toBe('2001:db8:0:0');
    expect(addressSubject('::ffff:192.0.2.1')).toBe('192.0.2.1');
    expect(addressSubject('192.0.2.1')).toBe('192.0.2.1');
  });
});
