import fc from 'fast-check';
import { returnAddress } from './return-address.rules.js';

const BASE = 'https://infra.example/state';
const failure = { parameter: 'github_claim', value: 'error' };

describe('The address that a browser goes back to', () => {
  it.each([
    ['/tenants/1/installations', '/tenants/1/installations?github_claim=error'],
    ['/x?y=1#z', '/x?y=1&github_claim=error#z'],
    [undefined, 'https://infra.example/state?github_claim=error'],
    ['https://infra.example/state/x', 'https://infra.example/state/x?github_claim=error'],
  ])('of %s says how it failed', (rd, address) => {
    expect(returnAddress(rd, BASE, failure)).toBe(address);
  });

  it('is on this service, whatever was asked for', () => {
    const odd = fc.oneof(
      fc.string(),
      fc.webUrl(),
      fc.constantFrom(
        '//evil.example',
        '/\\evil.example',
        '/.//evil.example',
        'https:evil',
        '/%2f/evil',
        'javascript:x',
        'https://infra.example@evil.example/',
      ),
    );
    fc.assert(
      fc.property(odd, fc.boolean(), (rd, failed) => {
        const address = returnAddress(rd, BASE, failed ? failure : undefined);
        expect(new URL(address, BASE).origin).toBe('https://infra.example');
        expect(address).not.toMatch(/^\/\//);
      }),
    );
  });
});
