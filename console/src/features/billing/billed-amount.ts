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

/** Share of a part in the whole, from 0 to 100, for the width of a bar only. */
export function shareOf(part: string, whole: string): number {
  const total = Number(whole);
  return total > 0 ? Math.min(100, Math.max(0, (Number(part) / total) * 100)) : 0;
}
