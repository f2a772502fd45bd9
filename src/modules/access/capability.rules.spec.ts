import fc from 'fast-check';
import {
  canonical,
  covers,
  isStateBound,
  mask,
  outranks,
  reaches,
  boundReadingOf,
  type Requirement,
  union,
  within,
} from './capability.rules.js';
import { CAPABILITIES, type Grants, grantsRefusal, parseGrants, type Scope } from './grants.js';

const uuid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const TENANTS = [1, 2, 3].map(uuid);
const STATES = [4, 5, 6, 7].map(uuid);
/** States 4 and 5 lie in tenant 1, state 6 in tenant 2; state 7 is unknown. */
const HOME: Record<string, string> = { [uuid(4)]: uuid(1), [uuid(5)]: uuid(1), [uuid(6)]: uuid(2) };
const tenantOf = (stateId: string) => HOME[stateId];

const actions = fc.subarray(['*', 'outputs', 'commit', 'preview']);
const scope: fc.Arbitrary<Scope> = fc.oneof(
  fc.constant({}),
  fc.record({ tenants: fc.subarray(TENANTS) }),
  fc.record({ states: fc.dictionary(fc.constantFrom(...STATES), actions) }),
  fc.record({ tenants: fc.subarray(TENANTS), states: fc.dictionary(fc.constantFrom(...STATES), actions) }),
);
const grants = fc.dictionary(fc.constantFrom(...CAPABILITIES), scope) as fc.Arbitrary<Grants>;

/** What can really be asked: everywhere, in a tenant, or on a state together with the tenant it lies in. */
const requirement: fc.Arbitrary<Requirement> = fc
  .record({
    capability: fc.constantFrom(...CAPABILITIES),
    place: fc.oneof(
      fc.constant({}),
      fc.constantFrom(...TENANTS).map((tenantId) => ({ tenantId })),
      fc.constantFrom(...STATES.slice(0, 3)).map((stateId) => ({ stateId, tenantId: HOME[stateId] ?? '' })),
    ),
    action: fc.constantFrom(undefined, 'outputs', 'commit'),
  })
  .map(({ capability, place, action }) => ({ capability, ...place, ...(action ? { action } : {}) }));

describe('The capability algebra', () => {
  it('never widens by masking: what a key may, its creator and its request allow', () => {
    fc.assert(
      fc.property(grants, grants, requirement, (requested, held, asked) => {
        const masked = mask(requested, held, tenantOf);
        if (!covers(masked, asked)) return;
        expect(covers(held, asked)).toBe(true);
        expect(covers(requested, asked)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it('keeps by masking what both sides name', () => {
    fc.assert(
      fc.property(grants, requirement, (held, asked) => {
        expect(covers(mask(held, held, tenantOf), asked)).toBe(covers(held, asked));
      }),
    );
  });

  it('adds up in any order, and adding the same again changes nothing', () => {
    fc.assert(
      fc.property(grants, grants, grants, (a, b, c) => {
        expect(union(a, b)).toEqual(union(b, a));
        expect(union(a, a)).toEqual(canonical(a));
        expect(union(union(a, b), c)).toEqual(union(a, union(b, c)));
      }),
    );
  });

  it('covers no less when more is held', () => {
    fc.assert(
      fc.property(grants, grants, requirement, (held, more, asked) => {
        if (covers(held, asked) || covers(more, asked)) expect(covers(union(held, more), asked)).toBe(true);
      }),
    );
  });

  it('covers a narrower place whenever it covers a wider one', () => {
    fc.assert(
      fc.property(grants, requirement, (held, { capability, ...place }) => {
        if (covers(held, { capability })) expect(covers(held, { capability, ...place })).toBe(true);
      }),
    );
  });

  it('ranks nobody above themselves, and ranks transitively', () => {
    fc.assert(
      fc.property(grants, grants, grants, fc.subarray(TENANTS), (a, b, c, tenantIds) => {
        const above = (one: Grants, other: Grants) => outranks(one, other, tenantIds);
        expect(above(a, a)).toBe(false);
        if (above(a, b)) expect(above(b, a)).toBe(false);
        if (above(a, b) && above(b, c)) expect(above(a, c)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it('ranks without regard to what is held in other tenants', () => {
    const [own, foreign] = [uuid(1), uuid(2)];
    const holds = (...tenants: string[]) => ({ admin: { tenants } });
    expect(outranks(holds(own), holds(foreign), [own])).toBe(true);
    expect(outranks(holds(foreign), {}, [own])).toBe(false);
    expect(outranks(holds(own), holds(foreign), [own, foreign])).toBe(false);
    expect(outranks(holds(own), { admin: {} }, [own])).toBe(false);
  });

  it('limits everything to one tenant', () => {
    fc.assert(
      fc.property(grants, requirement, (held, asked) => {
        const limited = within(held, uuid(1), tenantOf);
        if (covers(limited, asked)) expect(asked.tenantId).toBe(uuid(1));
      }),
    );
  });

  it('lets admin imply everything but sudo, in its own scope only', () => {
    const held: Grants = { admin: { tenants: [uuid(1)] } };
    for (const capability of CAPABILITIES) {
      expect(covers(held, { capability, tenantId: uuid(1) })).toBe(capability !== 'sudo');
      expect(covers(held, { capability, tenantId: uuid(2) })).toBe(false);
      expect(covers(held, { capability })).toBe(false);
    }
  });

  it('grants nothing by an empty list, an unknown tenant or an unknown state', () => {
    expect(canonical({ admin: { tenants: [] }, commit: { states: {} } })).toEqual({});
    expect(covers({ commit: { tenants: [] } }, { capability: 'commit' })).toBe(false);
    const unknown: Grants = { commit: { states: { [uuid(7)]: ['*'] } } };
    expect(mask(unknown, { commit: { tenants: TENANTS } }, tenantOf)).toEqual({});
  });

  it('does not take names of Object for grants', () => {
    const tricky = JSON.parse(`{"commit": {"states": {}}}`) as Grants;
    expect(covers(tricky, { capability: 'commit', stateId: '__proto__' })).toBe(false);
    expect(covers(tricky, { capability: 'commit', stateId: 'constructor' })).toBe(false);
    expect(parseGrants(JSON.parse('{"__proto__": {}}'))).toBeUndefined();
  });

  it('refuses whatever is not a map of known capabilities to scopes', () => {
    for (const bad of [
      null,
      [],
      'x',
      { root: {} },
      { admin: null },
      { admin: { tenants: ['x'] } },
      { admin: { t: [] } },
    ]) {
      expect(parseGrants(bad)).toBeUndefined();
    }
    const capabilities =
      'admin, commit, preview, sudo, users-manage, access-token-create, access-token-refresh';
    expect(
      [{ read: {} }, { root: {} }, { admin: null }, 'x', { admin: { t: [] } }].map((bad) =>
        grantsRefusal(bad),
      ),
    ).toEqual([
      'must not name "read": every member of a tenant reads it, so no capability is needed',
      `must not name "root": the capabilities are ${capabilities}`,
      'must have a scope for "admin": {} for everywhere, {"tenants": [id]} or {"states": {id: ["*"]}}',
      'must be an object of capabilities and their scopes',
      'must have a scope for "admin": {} for everywhere, {"tenants": [id]} or {"states": {id: ["*"]}}',
    ]);
    expect(parseGrants({ commit: { states: { [uuid(4).toUpperCase()]: ['*'] } } })).toEqual({
      commit: { states: { [uuid(4)]: ['*'] } },
    });
  });

  it('names no more than a thousand tenants and states in all', () => {
    const states = Object.fromEntries(Array.from({ length: 998 }, (_, n) => [uuid(n + 10), ['*']]));
    const full = { commit: { states }, admin: { tenants: [uuid(1)] }, preview: { tenants: [uuid(1)] } };
    expect(parseGrants(full)).toEqual(full);
    expect(parseGrants({ ...full, preview: { tenants: [uuid(1), uuid(2)] } })).toBeUndefined();
    expect(
      parseGrants({ commit: { states: { ...states, ...{ [uuid(1)]: [], [uuid(2)]: [], [uuid(3)]: [] } } } }),
    ).toBeUndefined();
  });

  it('reaches people whose every tenant is listed, and those in none by an unscoped grant only', () => {
    expect(reaches({ tenants: [uuid(1), uuid(2)] }, [uuid(1)])).toBe(true);
    expect(reaches({ tenants: [uuid(1)] }, [uuid(1), uuid(2)])).toBe(false);
    expect(reaches({ tenants: [uuid(1)] }, [])).toBe(false);
    expect(reaches({}, [])).toBe(true);
    expect(reaches(undefined, [])).toBe(false);
  });

  it('shows a credential that is limited to outputs nothing else', () => {
    const limited: Grants = { preview: { states: { [uuid(4)]: ['outputs'] } } };
    expect(isStateBound(limited)).toBe(true);
    expect([uuid(4), uuid(5)].map((id) => boundReadingOf(limited, id))).toEqual(['outputs', 'none']);
    expect(covers(limited, { capability: 'preview', stateId: uuid(4) })).toBe(false);
    expect(boundReadingOf({}, uuid(4))).toBe('none');
    for (const free of [{ commit: { states: { [uuid(4)]: ['*'] } } }, { ...limited, commit: {} }, {}])
      expect(isStateBound(free)).toBe(false);
  });
});
