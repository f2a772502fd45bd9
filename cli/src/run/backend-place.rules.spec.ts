import { backendPlace } from './backend-place.rules.js';

const GROUP = '11111111-1111-4111-8111-111111111111';

describe('the place of a state in the address of a backend', () => {
  it.each([
    [`https://x/api/v1/states/backend/${GROUP}`, 'default'],
    [`https://x/api/v1/states/backend/${GROUP}/prod`, 'prod'],
    [`https://x/api/v1/states/backend/${GROUP}/a%20b`, 'a b'],
  ])('%s', (address, workspace) => {
    expect(backendPlace(address, 'https://x')).toEqual({ group_id: GROUP, workspace });
  });

  it('may stand below a path', () => {
    expect(backendPlace(`https://x/y/api/v1/states/backend/${GROUP}`, 'https://x/y')).toBeDefined();
  });

  it('is none where the address is another one or an expression', () => {
    expect(backendPlace('https://x/other', 'https://x')).toBeUndefined();
    expect(backendPlace('${var.address}', 'https://x')).toBeUndefined();
    expect(backendPlace(undefined, 'https://x')).toBeUndefined();
  });

  it('is refused when it is at another service', () => {
    expect(() => backendPlace(`https://z/api/v1/states/backend/${GROUP}`, 'https://x')).toThrow(
      'the backend is at z, not at x',
    );
  });
});
