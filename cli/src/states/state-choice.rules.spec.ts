import { chooseState } from './state-choice.rules.js';

const states = [
  { id: '1', name: 'network', workspace: 'default' },
  { id: '2', name: 'network', workspace: 'staging' },
  { id: '3', name: 'application', workspace: 'default' },
];

describe('the state of a name', () => {
  it('is the only one of that name, or the one in the workspace', () => {
    expect(chooseState(states, 'application', undefined).id).toBe('3');
    expect(chooseState(states, 'network', 'staging').id).toBe('2');
  });

  it('an ambiguous state is refused, not guessed', () => {
    expect(() => chooseState(states, 'network', undefined)).toThrow('1 (default), 2 (staging)');
    expect(() => chooseState(states, 'application', 'staging')).toThrow('in workspace "staging"');
    expect(() => chooseState(states, 'net', undefined)).toThrow('no state is named "net"');
  });
});
