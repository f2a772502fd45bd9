const HOURS_PER_DAY = 24;
const DAY_MS = 86_400_000;

/** Hours from the beginning of the first day to the end of the last one, both YYYY-MM-DD. */
export function hoursOf(first: string, last: string): number {
  return ((Date.parse(last) - Date.parse(first)) / DAY_MS + 1) * HOURS_PER_DAY;
}

/** An exact decimal times a whole number. */
export function timesWhole(text: string, factor: number): string {
  const [, sign = '', whole = '0', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  const product = (BigInt(`${whole}${fraction}`) * BigInt(factor)).toString();
  const digits = product.padStart(fraction.length + 1, '0');
  const cut = digits.length - fraction.length;
  return `${sign}${digits.slice(0, cut)}.${digits.slice(cut).padEnd(2, '0')}`;
}
