import { isExposed, parseAddress } from './address.rules.js';

describe('the address of a service', () => {
  it.each([
    ['https://state.example.com', 'https://state.example.com'],
    ['https://state.example.com/', 'https://state.example.com'],
    ['http://localhost:8080/api/v1', 'http://localhost:8080'],
    [' https://example.com/state/api/v1/ ', 'https://example.com/state'],
  ])('reads %s', (text, address) => {
    expect(parseAddress(text)).toBe(address);
  });

  it.each([
    'state.example.com',
    'ftp://state.example.com',
    'https://user:secret@state.example.com',
    'https://state.example.com/?x=1',
    'https://state.example.com/#x',
  ])('refuses %s without repeating it', (text) => {
    expect(() => parseAddress(text)).toThrow(/^the address of the service/);
  });

  it('tells what can be read on the way', () => {
    expect(isExposed('http://state.example.com')).toBe(true);
    expect(isExposed('http://localhost:8080')).toBe(false);
    expect(isExposed('http://[::1]:8080')).toBe(false);
    expect(isExposed('https://state.example.com')).toBe(false);
  });
});
