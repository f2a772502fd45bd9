import { daysOf, formatBilled, multiplied } from './billed-amount';

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

  it('a billed amount shows its currency', () => {
    expect(formatBilled('1', 'EUR')).toBe('1.00 EUR');
  });

  it.each([
    ['0.0416', 744, '30.9504'],
    ['2', 24, '48'],
    ['-0.001', 24, '-0.024'],
  ])('%s times %s is %s', (text, factor, product) => {
    expect(multiplied(text, factor)).toBe(product);
  });

  it('counts days with both ends', () => {
    expect(daysOf('2026-02-27', '2026-03-01')).toBe(3);
  });
});
