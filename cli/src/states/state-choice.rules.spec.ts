import { Failure } from '../failure.js';
import { chooseState, type StateChoice } from './state-choice.rules.js';

const [A, B] = ['aaaaaaaa-0000-4000-8000-000000000000', 'bbbbbbbb-0000-4000-8000-000000000000'];
const states = [
  { id: '1', name: 'network', workspace: 'default', group_id: A },
  { id: '2', name: 'network', workspace: 'staging', group_id: A },
  { id: '3', name: 'application', workspace: 'default', group_id: A },
  { id: '4', name: 'infra/network', workspace: 'default', group_id: A },
  { id: '5', name: 'infra/network', workspace: 'default', group_id: B },
  { id: '6', name: 'mixed', workspace: 'default', group_id: A },
  { id: '7', name: 'mixed', workspace: 'staging', group_id: A },
  { id: '8', name: 'mixed', workspace: 'default', group_id: B },
];

function refusal(name: string, choice: StateChoice): Failure {
  try {
    chooseState(states, name, choice);
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error('a state was chosen');
}

describe('the state of a name', () => {
  it('is the only one of that name, or the one in the workspace and the group', () => {
    expect(chooseState(states, 'application', {}).id).toBe('3');
    expect(chooseState(states, 'network', { workspace: 'staging' }).id).toBe('2');
    expect(chooseState(states, 'infra/network', { group: B.toUpperCase() }).id).toBe('5');
    expect(chooseState(states, 'mixed', { group: A, workspace: 'staging' }).id).toBe('7');
  });

  it.each([
    [
      'network',
      {},
      `1 (workspace default, group ${A}); 2 (workspace staging, group ${A})`,
      '--workspace <name>',
    ],
    [
      'infra/network',
      {},
      `4 (workspace default, group ${A}); 5 (workspace default, group ${B})`,
      '--group <id>',
    ],
    ['infra/network', { workspace: 'default' }, 'several states', '--group <id>'],
    ['mixed', {}, 'several states', '--group <id> and --workspace <name>'],
    ['mixed', { workspace: 'default' }, 'several states', '--group <id>'],
    ['mixed', { group: A }, 'several states', '--workspace <name>'],
  ])('an ambiguous %s is refused with the flags that tell them apart', (name, choice, message, flags) => {
    const { id, message: text, hint } = refusal(name, choice);
    expect([id, hint]).toEqual([
      'STATE_AMBIGUOUS',
      `choose one with ${flags}, or give its id instead of the name`,
    ]);
    expect(text).toContain(message);
  });

  it('an unknown one is refused with where it was looked for', () => {
    expect(refusal('application', { workspace: 'staging' }).message).toContain('in workspace "staging"');
    expect(refusal('application', { group: B }).message).toContain(`in group ${B}`);
    expect(refusal('net', {}).message).toBe('no state is named "net"');
  });
});
