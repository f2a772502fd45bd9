import { formatBilled, shareOf } from './billed-amount';

describe('A billed amount', () => {
  it.each([
    ['0', '0.00'],
    ['12.5', '12.50'],
    ['1234567.005', '1\u202f234\u202f567.01'],
    ['-0.004', '0.00'],
    ['-3.456', '-3.46'],
    ['99999999999999999999.99', '99\u202f999\u202f999\u202f999\u202f999\u202f999\u202f999.99'],
  ])('%s is shown as %s', (text, shown) => {
    expect(formatBilled(text)).toBe(shown);
  });

  it('names its currency', () => {
    expect(formatBilled('1', 'EUR')).toBe('1.00 EUR');
  });

  it.each([
    ['1', '4', 25],
    ['-1', '4', 0],
    ['9', '4', 100],
    ['1', '0', 0],
  ])('%s of %s is %s %%', (part, whole, share) => {
    expect(shareOf(part, whole)).toBe(share);
  });
});
