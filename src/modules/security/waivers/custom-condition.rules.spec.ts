import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../../platform/errors/index.js';
import { evaluate, NOTHING_LINKED } from '../engine/condition-evaluation.rules.js';
import { parseCondition } from './custom-condition.rules.js';

const documented = readFileSync(join(__dirname, '..', '..', '..', '..', 'docs', 'security.md'), 'utf8')
  .split('\n')
  .filter((line) => /^\{"(?:a|any|all|not|some|world|linked)"/.test(line));

function refusal(value: unknown): string {
  try {
    parseCondition(value, 'fail');
  } catch (error) {
    if (error instanceof AppError) return `${error.status} ${error.message}`;
    throw error;
  }
  return 'taken';
}

describe('Conditions of custom checks', () => {
  it('has ten documented examples', () => {
    expect(documented).toHaveLength(10);
  });

  it.each(documented)('takes %s', (line) => {
    const condition = parseCondition(JSON.parse(line), 'fail');
    expect(condition).toEqual(JSON.parse(line));
    expect([true, false, undefined]).toContain(
      evaluate(condition, { type: 'aws_x', attributes: {} }, NOTHING_LINKED),
    );
  });

  it.each([
    [7, '400 fail must be a condition object'],
    [{}, '400 fail must have one of a, any, all, not, some, world, linked'],
    [{ a: 'x', op: 'like', v: 1 }, /^400 fail\.op must be one of/],
    [{ a: 'x', op: 'eq' }, '400 fail.v must be a text, a number, a boolean or null'],
    [{ a: 'x', op: 'gt', v: '7' }, '400 fail.v must be a number'],
    [{ a: 'x', op: 'regex', v: '(' }, '400 fail.v must be a regular expression (RE2 syntax)'],
    [
      { any: [{ a: 'x', op: 'true' }, { not: { a: 7, op: 'true' } }] },
      '400 fail.any[1].not.a must be a text',
    ],
    [{ a: 'x', op: 'true', extra: 1 }, '400 fail must have nothing besides a, op, v'],
    [{ secret: 'x', base64: false }, '400 fail must have one of a, any, all, not, some, world, linked'],
    [{ linked: { type: [], via: 'x' } }, '400 fail.linked.type must be a list of texts'],
    [{ world: Array.from({ length: 201 }, () => 'x') }, '400 fail.world exceeds 200 texts'],
    [{ a: 'x', op: 'in', v: Array.from({ length: 201 }, () => 1) }, '400 fail.v exceeds 200 values'],
  ])('refuses %j and names the place', (value, expected) => {
    const answer = refusal(value);
    if (typeof expected === 'string') expect(answer).toBe(expected);
    else expect(answer).toMatch(expected);
  });

  it('refuses conditions that are nested 1,000 deep, and too many of them', () => {
    let deep: unknown = { a: 'x', op: 'true' };
    for (let level = 0; level < 1_000; level++) deep = { not: deep };
    expect(refusal(deep)).toMatch(/exceeds 30 levels$/);
    expect(refusal({ any: Array.from({ length: 1_000 }, () => ({ a: 'x', op: 'true' })) })).toMatch(
      /exceeds 500 conditions$/,
    );
  });
});
