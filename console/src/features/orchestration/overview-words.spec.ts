import { countsOf, directoryOf, gateNeeds, holdEnd, holderOf, holdReason } from './overview-words';

it('shows counts, else whether anything changes, else nothing', () => {
  expect(countsOf({ summary: { add: 1, change: 2, destroy: 3 }, has_changes: true })).toBe('+1 ~2 -3');
  expect(countsOf({ has_changes: true })).toBe('changes');
  expect(countsOf({ has_changes: false })).toBe('no changes');
  expect(countsOf({})).toBeUndefined();
});

it('names the root, and a workspace that is not the usual one', () => {
  expect(directoryOf({ dir: '', workspace: 'default' })).toBe('.');
  expect(directoryOf({ dir: 'network', workspace: 'prod' })).toBe('network (prod)');
});

it('says why a directory is held and how it is released', () => {
  expect(holdReason({ reason: 'applied' })).toContain('waits for the merge');
  expect(holdReason({ reason: 'failed' })).toContain('somebody has to look');
  expect(holdEnd({ reason: 'applying', pull_number: 7 })).toMatch(/^After the apply: merge or close #7/);
  expect(holdEnd({ reason: 'failed', pull_number: 7 })).toContain('“infrastate unlock 7”');
  expect(holdEnd({ reason: 'applying' })).toBe('It ends with the run');
  expect(holdEnd({ reason: 'failed' })).toContain('“infrastate unlock”');
  expect([holderOf(7), holderOf(undefined)]).toEqual(['#7', 'drift reconciliation']);
});

it('says whose approval a gate asks for', () => {
  const gate = { token: 't', all_of: [], any_of: [], any_of_count: 1, approvals: [] };
  expect(gateNeeds(gate)).toBe('1 of those who may apply');
  expect(gateNeeds({ ...gate, all_of: ['ada'] })).toBe('all of ada');
  expect(gateNeeds({ ...gate, all_of: ['ada'], any_of: ['team:ops', 'bob'], any_of_count: 2 })).toBe(
    'all of ada, and 2 of team:ops, bob',
  );
});
