import { backendAddress, backendBlock } from './backend-block.rules.js';

const GROUP = '11111111-1111-4111-8111-111111111111';

describe('the backend block', () => {
  it('names the workspace in the address unless it is the default one', () => {
    expect(backendAddress('https://x', GROUP, 'default')).toBe(`https://x/api/v1/states/backend/${GROUP}`);
    expect(backendAddress('https://x', GROUP, 'a b/c')).toBe(
      `https://x/api/v1/states/backend/${GROUP}/a%20b%2Fc`,
    );
  });

  it('is formatted as terraform fmt does', () => {
    expect(backendBlock('https://x/y', { locks: false })).toBe(
      'terraform {\n  backend "http" {\n    address = "https://x/y"\n  }\n}\n',
    );
    expect(backendBlock('https://x/y', { locks: true })).toContain(
      '    address        = "https://x/y"\n    lock_address   = "https://x/y"\n    lock_method    = "LOCK"\n',
    );
  });

  it('keeps template sequences from being evaluated', () => {
    expect(backendBlock('https://x/${y}%{z}', { locks: false })).toContain('"https://x/$${y}%%{z}"');
  });
});
