import { backendAddressFor, isBackendAddress, looksLikeBackend } from './backend-address.rules.js';

const GROUP = '0a1b2c3d-0000-4000-8000-00000000000f';

describe('A mistyped address of a backend', () => {
  it.each([
    ['GET', `/states/backend/${GROUP}`],
    ['GET', `/api/v1/state/backend/${GROUP}`],
    ['GET', `/api/v1/states/backends/${GROUP}/staging`],
    ['POST', `/${GROUP}`],
    ['GET', '/api/v1/backend'],
    ['LOCK', '/anything'],
    ['UNLOCK', '/'],
  ])('is recognised in %s %s', (method, path) => {
    expect(looksLikeBackend(method, path)).toBe(true);
  });

  it.each([
    ['GET', '/api/v1/nothing-here'],
    ['GET', `/${GROUP}/a/b`],
    ['PUT', `/states/backend/${GROUP}`],
    ['DELETE', `/${GROUP}`],
  ])('is not seen in %s %s', (method, path) => {
    expect(looksLikeBackend(method, path)).toBe(false);
  });

  it.each([
    [`/states/backend/${GROUP}`, `https://iss.example/api/v1/states/backend/${GROUP}[/<workspace>]`],
    [`/state/${GROUP}/staging`, `https://iss.example/api/v1/states/backend/${GROUP}/staging`],
    ['/backend', 'https://iss.example/api/v1/states/backend/<group id>[/<workspace>]'],
  ])('%s is corrected to %s', (path, address) => {
    expect(backendAddressFor('https://iss.example/', path)).toBe(address);
  });

  it('is none when the route is the backend’s', () => {
    expect(isBackendAddress(`/api/v1/states/backend/${GROUP}`)).toBe(true);
    expect(isBackendAddress(`/api/v1/states/${GROUP}`)).toBe(false);
  });
});
