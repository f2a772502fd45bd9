/** An exact decimal with two digits after the point and thousands apart, rounded half away from zero. */
export function formatBilled(text: string, currency?: string): string {
  const [, sign = '', whole = '0', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  const isUp = (fraction[2] ?? '0') >= '5';
  const cents = BigInt(`${whole}${fraction.padEnd(2, '0').slice(0, 2)}`) + (isUp ? 1n : 0n);
  const digits = cents.toString().padStart(3, '0');
  const grouped = digits.slice(0, -2).replace(/\B(?=(\d{3})+$)/g, '\u202f');
  const isZero = cents === 0n;
  return `${isZero ? '' : sign}${grouped}.${digits.slice(-2)}${currency === undefined ? '' : ` ${currency}`}`;
}

/** An exact decimal times a whole number. */
export function multiplied(text: string, factor: number): string {
  const [, sign = '', whole = '0', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  const digits = (BigInt(`${whole}${fraction}`) * BigInt(factor))
    .toString()
    .padStart(fraction.length + 1, '0');
  const cut = digits.length - fraction.length;
  return `${sign}${digits.slice(0, cut)}${fraction === '' ? '' : `.${digits.slice(cut)}`}`;
}

/** Days from one to the other, both included. */
export function daysOf(first: string, last: string): number {
  return Math.round((Date.parse(last) - Date.parse(first)) / 86_400_000) + 1;
}
