const COUNT = new Intl.NumberFormat('en');
const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;

/** `12,345` */
export function formatCount(value: number): string {
  return COUNT.format(value);
}

/** `1 instance`, `2 instances` */
export function plural(count: number, noun: string, nouns = `${noun}s`): string {
  return `${formatCount(count)} ${count === 1 ? noun : nouns}`;
}

/** Bytes with a fitting unit. */
export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return plural(bytes, 'byte');
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), UNITS.length - 1);
  return new Intl.NumberFormat('en', {
    style: 'unit',
    unit: UNITS[power] ?? 'byte',
    maximumFractionDigits: 1,
  }).format(bytes / 1000 ** power);
}
