import fc from 'fast-check';
import { CATEGORIES, SEVERITIES } from '../engine/check.js';
import { effectiveSeverity, RANKS } from './effective-severity.rules.js';

const check = fc.record({
  severity: fc.constantFrom(...SEVERITIES),
  category: fc.constantFrom(...CATEGORIES),
  exposure: fc.boolean(),
});
const blast = fc.record({ resources: fc.nat(60), modules: fc.nat(6), otherStates: fc.nat(3) });
const reachable = fc.constantFrom(true, false, undefined);
const NO_BLAST = { resources: 0, modules: 0, otherStates: 0 };

describe('Effective severity', () => {
  it('stays within its bounds, and says why exactly where it differs', () => {
    fc.assert(
      fc.property(check, reachable, blast, (given, reach, count) => {
        const { base, effective, reason } = effectiveSeverity(given, { reachable: reach, blast: count });
        expect(effective).toBeLessThanOrEqual(RANKS.critical);
        expect(effective).toBeGreaterThanOrEqual(Math.min(base, RANKS.low));
        if (base <= RANKS.low) expect(effective - base).toBeLessThanOrEqual(1);
        expect(reason !== undefined).toBe(effective !== base);
      }),
    );
  });

  it('never falls when more depends on the resource, or when it becomes reachable', () => {
    fc.assert(
      fc.property(check, reachable, blast, blast, (given, reach, one, more) => {
        const larger = {
          resources: one.resources + more.resources,
          modules: one.modules + more.modules,
          otherStates: one.otherStates + more.otherStates,
        };
        const of = (at: typeof reach, count: typeof one): number =>
          effectiveSeverity(given, { reachable: at, blast: count }).effective;
        expect(of(reach, larger)).toBeGreaterThanOrEqual(of(reach, one));
        expect(of(true, one)).toBeGreaterThanOrEqual(of(undefined, one));
        expect(of(undefined, one)).toBeGreaterThanOrEqual(of(false, one));
      }),
    );
  });

  it('explains what raises and what lowers it', () => {
    const exposed = { severity: 'high', category: 'network-exposure', exposure: true } as const;
    expect(
      effectiveSeverity(exposed, { reachable: true, evidence: 'internet > igw-1 > sg-1:22', blast: NO_BLAST })
        .reason,
    ).toBe('reachable through internet > igw-1 > sg-1:22');
    expect(effectiveSeverity(exposed, { reachable: false, blast: NO_BLAST })).toEqual({
      base: 3,
      effective: 2,
      reason: 'not reachable from the internet',
    });
    expect(
      effectiveSeverity(
        { severity: 'medium', category: 'logging' },
        { reachable: undefined, blast: { resources: 34, modules: 2, otherStates: 3 } },
      ).reason,
    ).toBe('34 resources in 2 modules depend on it, 3 of them in other states');
  });
});
