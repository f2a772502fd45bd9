/** Digits after the point that a division keeps; everything else is exact. */
const DIVISION_SCALE = 12;
const SYNTAX = /^([+-]?)(\d{1,60})(?:\.(\d{1,60}))?(?:[eE]([+-]?\d{1,2}))?$/;
const POWERS = Array.from({ length: 64 }, (_, exponent) => 10n ** BigInt(exponent));

/**
 * An exact decimal number: `digits` / 10^`scale`. Sums, differences and products are exact; only `dividedBy` rounds,
 * to 12 digits after the point and half away from zero, as PostgreSQL's `round(numeric, 12)` does.
 */
export class Decimal {
  static readonly ZERO = new Decimal(0n, 0);
  static readonly ONE = new Decimal(1n, 0);

  private constructor(
    private readonly digits: bigint,
    private readonly scale: number,
  ) {}

  /** Reads `12`, `-0.50`, `6.1E-7`; undefined for anything else. */
  static parse(text: string): Decimal | undefined {
    const match = SYNTAX.exec(text);
    if (match === null) return undefined;
    const [, sign, whole = '0', fraction = '', exponent = '0'] = match;
    const digits = BigInt(whole + fraction);
    return scaled(sign === '-' ? -digits : digits, fraction.length - Number(exponent));
  }

  /** A number of the code or of JSON by its shortest text; throws RangeError for what is not a decimal. */
  static of(value: number | string): Decimal {
    if (typeof value === 'number' && Number.isSafeInteger(value)) return new Decimal(BigInt(value), 0);
    const parsed = Decimal.parse(String(value));
    if (parsed === undefined) throw new RangeError('value must be a decimal number');
    return parsed;
  }

  static make(digits: bigint, scale: number): Decimal {
    return new Decimal(digits, scale);
  }

  plus(other: Decimal): Decimal {
    if (this.scale === other.scale) return new Decimal(this.digits + other.digits, this.scale);
    const scale = Math.max(this.scale, other.scale);
    return new Decimal(this.digitsAt(scale) + other.digitsAt(scale), scale);
  }

  minus(other: Decimal): Decimal {
    return this.plus(new Decimal(-other.digits, other.scale));
  }

  times(other: Decimal | number): Decimal {
    const factor = typeof other === 'number' ? Decimal.of(other) : other;
    return new Decimal(this.digits * factor.digits, this.scale + factor.scale);
  }

  /** Rounded to 12 digits after the point; throws RangeError for a divisor of zero. */
  dividedBy(other: Decimal | number): Decimal {
    const divisor = typeof other === 'number' ? Decimal.of(other) : other;
    if (divisor.digits === 0n) throw new RangeError('division by zero');
    const shift = DIVISION_SCALE + divisor.scale - this.scale;
    const dividend = shift >= 0 ? this.digits * power(shift) : this.digits;
    const divider = shift >= 0 ? divisor.digits : divisor.digits * power(-shift);
    return new Decimal(roundedQuotient(dividend, divider), DIVISION_SCALE);
  }

  /** Rounded half away from zero to `scale` digits after the point. */
  rounded(scale: number): Decimal {
    if (this.scale <= scale) return this;
    return new Decimal(roundedQuotient(this.digits, power(this.scale - scale)), scale);
  }

  /** The smallest whole number that is not less. */
  ceiling(): Decimal {
    const unit = power(this.scale);
    const whole = this.digits / unit;
    return new Decimal(whole * unit < this.digits ? whole + 1n : whole, 0);
  }

  compare(other: Decimal | number): number {
    const right = typeof other === 'number' ? Decimal.of(other) : other;
    const scale = Math.max(this.scale, right.scale);
    const difference = this.digitsAt(scale) - right.digitsAt(scale);
    if (difference === 0n) return 0;
    return difference < 0n ? -1 : 1;
  }

  isLess(other: Decimal | number): boolean {
    return this.compare(other) < 0;
  }

  isMore(other: Decimal | number): boolean {
    return this.compare(other) > 0;
  }

  atLeast(least: Decimal | number): Decimal {
    const bound = typeof least === 'number' ? Decimal.of(least) : least;
    return this.isLess(bound) ? bound : this;
  }

  atMost(most: Decimal | number): Decimal {
    const bound = typeof most === 'number' ? Decimal.of(most) : most;
    return this.isMore(bound) ? bound : this;
  }

  isZero(): boolean {
    return this.digits === 0n;
  }

  isNegative(): boolean {
    return this.digits < 0n;
  }

  /** `8`, `0.5`, `-1.25`: no exponent, no zeros at the end. */
  toString(): string {
    return written(this.digits, this.scale, 0);
  }

  /** As `toString`, with at least two digits after the point: how amounts of money are written. */
  toAmount(): string {
    return written(this.digits, this.scale, 2);
  }

  private digitsAt(scale: number): bigint {
    return scale === this.scale ? this.digits : this.digits * power(scale - this.scale);
  }
}

function scaled(digits: bigint, scale: number): Decimal {
  return scale >= 0 ? Decimal.make(digits, scale) : Decimal.make(digits * power(-scale), 0);
}

function power(exponent: number): bigint {
  return POWERS[exponent] ?? 10n ** BigInt(exponent);
}

function roundedQuotient(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  const remainder = dividend % divisor;
  const twice = remainder < 0n ? -remainder * 2n : remainder * 2n;
  if (twice < (divisor < 0n ? -divisor : divisor)) return quotient;
  return dividend < 0n === divisor < 0n ? quotient + 1n : quotient - 1n;
}

function written(digits: bigint, scale: number, leastFraction: number): string {
  const negative = digits < 0n;
  const text = (negative ? -digits : digits).toString().padStart(scale + 1, '0');
  const whole = scale === 0 ? text : text.slice(0, -scale);
  let end = scale;
  const fraction = scale === 0 ? '' : text.slice(-scale);
  while (end > leastFraction && fraction.charCodeAt(end - 1) === 48) end--;
  const kept = fraction.slice(0, end).padEnd(leastFraction, '0');
  return `${negative ? '-' : ''}${whole}${kept === '' ? '' : `.${kept}`}`;
}
