import * as fc from 'fast-check';
import { Decimal } from './decimal.js';

const decimals = fc
  .tuple(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), fc.integer({ min: 0, max: 20 }))
  .map(([digits, scale]) => ({ decimal: Decimal.make(digits, scale), digits, scale }));

describe('Decimal', () => {
  it('writes what it read, without zeros at the end', () => {
    expect(
      ['0.50', '12', '-1.250', '6.1E-7', '1e3', '0.000'].map((text) => Decimal.of(text).toString()),
    ).toEqual(['0.5', '12', '-1.25', '0.00000061', '1000', '0']);
    expect(['8', '0.5', '-1.2', '0.123'].map((text) => Decimal.of(text).toAmount())).toEqual([
      '8.00',
      '0.50',
      '-1.20',
      '0.123',
    ]);
  });

  it('refuses what is no decimal number', () => {
    for (const text of ['', ' 1', '1,000', 'NaN', 'Infinity', '0x10', '1.', '.5', '--1', '1e999'])
      expect(Decimal.parse(text)).toBeUndefined();
    expect(() => Decimal.of(Number.NaN)).toThrow(RangeError);
    expect(() => Decimal.ONE.dividedBy(0)).toThrow(RangeError);
  });

  it('adds and multiplies as whole numbers do', () => {
    fc.assert(
      fc.property(decimals, decimals, (left, right) => {
        const scale = Math.max(left.scale, right.scale);
        const at = (value: { digits: bigint; scale: number }) =>
          value.digits * 10n ** BigInt(scale - value.scale);
        expect(left.decimal.plus(right.decimal).compare(Decimal.make(at(left) + at(right), scale))).toBe(0);
        expect(left.decimal.minus(right.decimal).plus(right.decimal).compare(left.decimal)).toBe(0);
        expect(
          left.decimal
            .times(right.decimal)
            .compare(Decimal.make(left.digits * right.digits, left.scale + right.scale)),
        ).toBe(0);
      }),
    );
  });

  it('divides with an error of at most half a unit of the twelfth digit', () => {
    fc.assert(
      fc.property(decimals, decimals, (left, right) => {
        fc.pre(right.digits !== 0n);
        const quotient = left.decimal.dividedBy(right.decimal);
        const error = quotient.times(right.decimal).minus(left.decimal).times(2);
        const unit = right.decimal.times(Decimal.make(1n, 12));
        const size = (value: Decimal) => (value.isNegative() ? Decimal.ZERO.minus(value) : value);
        expect(size(error).compare(size(unit))).toBeLessThanOrEqual(0);
      }),
    );
  });

  it('rounds half away from zero and up to whole numbers', () => {
    expect(['1.005', '-1.005', '1.0049'].map((text) => Decimal.of(text).rounded(2).toString())).toEqual([
      '1.01',
      '-1.01',
      '1',
    ]);
    expect(['1.2', '2', '-1.2', '0'].map((text) => Decimal.of(text).ceiling().toString())).toEqual([
      '2',
      '2',
      '-1',
      '0',
    ]);
  });

  it('reads back what it writes', () => {
    fc.assert(
      fc.property(decimals, ({ decimal }) => {
        expect(Decimal.of(decimal.toString()).compare(decimal)).toBe(0);
        expect(Decimal.of(decimal.toAmount()).compare(decimal)).toBe(0);
      }),
    );
  });
});
