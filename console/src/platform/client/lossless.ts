import { isLosslessNumber, LosslessNumber, parse, stringify } from 'lossless-json';

/** A number in JSON that JavaScript would change: a fraction, an exponent, more than 15 digits, or minus zero. */
const RISKY_NUMBER = /(?:^|[:,[])\s*(?:-?(?:\d{16,}|\d+\.\d|\d+[eE])|-0)/;

/**
 * Parses JSON. Numbers that JavaScript keeps become numbers; all others become a LosslessNumber with the digits that
 * came, so that 9007199254740993 and 0.10 are shown as they are.
 */
export function parseLossless(text: string): unknown {
  if (text === '') return {};
  return RISKY_NUMBER.test(text) ? parse(text, undefined, { parseNumber: keptNumber }) : JSON.parse(text);
}

function keptNumber(text: string): number | LosslessNumber {
  const value = Number(text);
  return String(value) === text ? value : new LosslessNumber(text);
}

/** JSON text with every digit that came. */
export function stringifyLossless(value: unknown, space?: number): string {
  return stringify(value, undefined, space) ?? 'null';
}

/** A single value as text: strings as they are, everything else as JSON. */
export function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  return isLosslessNumber(value) ? value.value : stringifyLossless(value);
}

export { isLosslessNumber };
