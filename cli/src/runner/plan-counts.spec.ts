import fc from 'fast-check';
import { PlanCounts } from './plan-counts.js';

const countsOf = (...parts: string[]) => {
  const counts = new PlanCounts();
  for (const part of parts) counts.write(part);
  return counts.end();
};

describe('The counts of a plan', () => {
  it.each([
    ['Plan: 1 to add, 2 to change, 3 to destroy.', { add: 1, change: 2, destroy: 3 }],
    ['x\nPlan: 4 to import, 1 to add, 0 to change, 0 to destroy.\ny', { add: 1, change: 0, destroy: 0 }],
    ['Plan: 0 to add, 0 to change, 1 to destroy, 2 to forget.\n', { add: 0, change: 0, destroy: 1 }],
    ['No changes. Your infrastructure matches the configuration.\n', undefined],
    ['      + input = <<-EOT\n            Plan: 9 to add, 9 to change, 9 to destroy.\n', undefined],
    ['Planning 1 to add', undefined],
  ])('%j is %j', (text, expected) => {
    expect(countsOf(text)).toEqual(expected);
  });

  it('are found wherever the output is cut, and after a line of megabytes', () => {
    const text = `${'x'.repeat(3_000_000)}\nPlan: 12 to add, 0 to change, 7 to destroy.\nChanges to Outputs:\n`;
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 120 })), (cuts) => {
        const at = [0, ...cuts.map((cut) => text.length - cut), text.length].toSorted((a, b) => a - b);
        const parts = at.slice(1).map((end, n) => text.slice(at[n], end));
        expect(countsOf(...parts)).toEqual({ add: 12, change: 0, destroy: 7 });
      }),
      { numRuns: 30 },
    );
  });
});
