/** What is shown where there is no amount: never a zero. */
const NO_AMOUNT = '–';

/** An exact decimal with two digits after the point and thousands apart, for people; rounded half up. */
export function formatAmount(text: string | undefined, currency?: string): string {
  if (text === undefined) return NO_AMOUNT;
  const [, sign = '', whole = '0', fraction = ''] = /^([+-]?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  const cents =
    BigInt(`${whole}${fraction.padEnd(2, '0').slice(0, 2)}`) + ((fraction[2] ?? '0') >= '5' ? 1n : 0n);
  const digits = cents.toString().padStart(3, '0');
  const grouped = digits.slice(0, -2).replace(/\B(?=(\d{3})+$)/g, '\u202f');
  return `${sign}${grouped}.${digits.slice(-2)}${currency === undefined ? '' : ` ${currency}`}`;
}

/** For the height of a bar or the position of a point, never for an amount. */
export function approximate(text: string | undefined): number {
  return text === undefined ? 0 : Number(text);
}
