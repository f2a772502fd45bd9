import { matches, parseCondition } from './group-condition.rules.js';
import type { ScopeResolvers } from '../access/index.js';
import { judgeGroupGrant } from './group-grant.rules.js';
import { tenantsOfStates } from './group-rules.store.js';

const [T, OTHER, S, FOREIGN] = [1, 2, 3, 4].map((n) => `00000000-0000-4000-8000-00000000000${n}`) as [
  string,
  string,
  string,
  string,
];
const tenantOf = (id: string) => ({ [S]: T, [FOREIGN]: OTHER })[id];

describe('Group rules', () => {
  it.each([
    [{ group: 'dev' }, ['dev'], true],
    [{ group: 'dev' }, ['developers'], false],
    [{ group: 'dev*' }, ['developers'], true],
    [{ group: '*' }, ['anything'], true],
    [{ group: '*' }, [], false],
    [{ any: [{ group: 'a' }, { group: 'b' }] }, ['b'], true],
    [{ all: [{ group: 'a' }, { group: 'b*' }] }, ['a', 'bc'], true],
    [{ all: [{ group: 'a' }, { group: 'b' }] }, ['a'], false],
  ])('%j with %j is %s', (condition, groups, expected) => {
    const parsed = parseCondition(condition);
    expect(parsed && matches(parsed, groups)).toBe(expected);
  });

  it.each([
    [{}],
    [null],
    [{ group: '' }],
    [{ group: 'a*b' }],
    [{ any: [] }],
    [{ group: 'a', any: [] }],
    [{ not: { group: 'a' } }],
    [{ any: [{ group: 1 }] }],
  ])('%j is malformed', (condition) => {
    expect(parseCondition(condition)).toBeUndefined();
  });

  it('ask once for the tenants of all states that grants name', async () => {
    const asked: (readonly string[])[] = [];
    const scopes = {
      tenantsOf: (_kind: string, ids: readonly string[]) => {
        asked.push(ids);
        return Promise.resolve({ [S]: T });
      },
    } as unknown as ScopeResolvers;
    const grants = {
      commit: { states: { [S]: ['*'], [FOREIGN]: ['*'] } },
      preview: { states: { [S]: ['*'] } },
    };
    expect(
      await tenantsOfStates(scopes, grants, { admin: {} }, { admin: { states: { [OTHER]: [] } } }),
    ).toEqual({
      [S]: T,
    });
    expect(asked).toEqual([[S, FOREIGN, OTHER]]);
  });

  it.each([
    ['fine', { commit: { tenants: [T] } }],
    ['fine', { admin: { tenants: [T] }, preview: { states: { [S]: ['*'] } } }],
    ['beyond', { admin: {} }],
    ['beyond', { commit: { tenants: [T, OTHER] } }],
    ['beyond', { commit: { states: { [FOREIGN]: ['*'] } } }],
    ['beyond', { sudo: { tenants: [T] } }],
    ['beyond', { 'access-token-create': { tenants: [T] } }],
    ['malformed', {}],
    ['malformed', { commit: { tenants: [] } }],
  ])('a grant is %s: %j', (verdict, grant) => {
    expect(judgeGroupGrant(grant, T, tenantOf)).toBe(verdict);
  });
});
