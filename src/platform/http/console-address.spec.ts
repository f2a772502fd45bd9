import { consoleAddress } from './console-address.js';

describe('an address in the console', () => {
  it.each([
    ['https://infra.example', 'https://infra.example/transactions/1'],
    ['https://infra.example/', 'https://infra.example/transactions/1'],
    ['https://infra.example/state', 'https://infra.example/state/transactions/1'],
    ['https://infra.example/state/', 'https://infra.example/state/transactions/1'],
  ])('stands below %s, its path included', (base, address) => {
    expect(consoleAddress(base, 'transactions/1')).toBe(address);
  });

  it('carries what the page needs to know', () => {
    expect(consoleAddress('https://infra.example/a', 'invitations/accept', { token: 'a&b' })).toBe(
      'https://infra.example/a/invitations/accept?token=a%26b',
    );
  });
});
