import { formatAmount } from './amounts';

describe('amounts for people', () => {
  it.each([
    ['0.00', '0.00'],
    ['0.005', '0.01'],
    ['1234567.894', '1\u202f234\u202f567.89'],
    ['-1.2', '-1.20'],
    ['+999.995', '+1\u202f000.00'],
    ['7', '7.00'],
  ])('%s is %s', (text, shown) => {
    expect(formatAmount(text)).toBe(shown);
  });

  it('are never zero where there are none', () => {
    expect(formatAmount(undefined, 'USD')).toBe('–');
    expect(formatAmount('1.00', 'USD')).toBe('1.00 USD');
  });
});
