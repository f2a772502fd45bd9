import type { Expansion } from './name-scope.js';

export const NONE: Expansion = { refs: 0, size: 1, length: 0, parts: 1 };

function total(parts: readonly Expansion[], count: (part: Expansion) => number): number {
  return parts.reduce((all, part) => all + count(part), 0);
}

/** As large as all parts together. */
export function sum(parts: readonly Expansion[]): Expansion {
  return {
    refs: total(parts, ({ refs }) => refs),
    size: total(parts, ({ size }) => size) || 1,
    length: total(parts, ({ length }) => length),
    parts: total(parts, (part) => part.parts) || 1,
  };
}

/** A list or a row of the parts, as it is written. */
export function listed(parts: readonly Expansion[]): Expansion {
  const whole = sum(parts);
  return { ...whole, length: 2 * whole.length + 4 * parts.length + 2, parts: whole.parts + 1 };
}

/** As large as the largest part, but made of all of them. */
export function largest(parts: readonly Expansion[]): Expansion {
  return {
    refs: total(parts, ({ refs }) => refs),
    size: Math.max(1, ...parts.map(({ size }) => size)),
    length: Math.max(0, ...parts.map(({ length }) => length)),
    parts: Math.max(1, ...parts.map((part) => part.parts)),
  };
}
