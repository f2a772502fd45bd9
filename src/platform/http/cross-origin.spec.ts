import type { IncomingHttpHeaders } from 'node:http';
import type { Request, Response } from 'express';
import { isSameOrigin, refuseCrossOrigin } from './cross-origin.js';

const UI_BASE = 'https://infra.example.com/console';
const policy = {
  uiBase: UI_BASE,
  allowed: ['https://tools.example.com'],
  usesCookie: (headers: IncomingHttpHeaders) => headers.cookie !== undefined,
};
const HOST = 'state.internal:8080';

describe('The origin of a request', () => {
  it.each([
    ['no browser', {}, true],
    ['the address that people browse', { origin: 'https://infra.example.com' }, true],
    ['its own host, over http', { origin: 'http://state.internal:8080' }, true],
    ['its own host behind a proxy that ends TLS', { origin: 'https://state.internal:8080' }, true],
    ['an origin that CORS allows', { origin: 'https://tools.example.com' }, true],
    [
      'an allowed origin on another site',
      { origin: 'https://tools.example.com', 'sec-fetch-site': 'cross-site' },
      true,
    ],
    ['a page of its own', { origin: 'http://state.internal:8080', 'sec-fetch-site': 'same-origin' }, true],
    ['the address bar', { 'sec-fetch-site': 'none' }, true],
    ['another site', { origin: 'https://evil.example' }, false],
    ['another port of the host', { origin: 'http://state.internal:3000' }, false],
    ['the host without its port', { origin: 'http://state.internal' }, false],
    ['a sibling host', { origin: 'https://wiki.example.com', 'sec-fetch-site': 'same-site' }, false],
    [
      'a sibling, whatever its origin says',
      { origin: 'https://infra.example.com', 'sec-fetch-site': 'same-site' },
      false,
    ],
    ['another site without an origin', { 'sec-fetch-site': 'cross-site' }, false],
    ['a sandboxed frame', { origin: 'null' }, false],
    ['a file', { origin: 'file://' }, false],
    ['an address that begins alike', { origin: 'https://infra.example.com.evil.example' }, false],
    ['an unknown relation', { 'sec-fetch-site': 'same-origin, none' }, false],
    ['nothing', { origin: '' }, false],
  ])('%s: %j', (_name, headers, expected) => {
    expect(isSameOrigin({ host: HOST, ...headers }, policy)).toBe(expected);
  });

  it('knows the default ports', () => {
    const from = (origin: string, host: string) => isSameOrigin({ origin, host }, policy);
    expect(from('http://state.internal', 'state.internal:80')).toBe(true);
    expect(from('https://state.internal', 'state.internal:443')).toBe(true);
    expect(from('http://[::1]:8080', '[::1]:8080')).toBe(true);
    expect(from('http://state.internal', 'not a host')).toBe(false);
  });
});

describe('A request from another site', () => {
  function answerTo(method: string, path: string, headers: IncomingHttpHeaders): number | 'passed' {
    let answer: number | 'passed' = 'passed';
    const response = {
      status: (status: number) => {
        answer = status;
        return response;
      },
      set: () => response,
      json: () => response,
    };
    const request = { method, path, headers: { host: HOST, origin: 'https://evil.example', ...headers } };
    refuseCrossOrigin(policy)(request as Request, response as unknown as Response, () => undefined);
    return answer;
  }
  const cookie = 'session=x';

  it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'LOCK', 'UNLOCK', 'anything'])(
    'is refused as %s with the cookie',
    (method) => {
      expect(answerTo(method, '/api/v1/tx/1/abort', { cookie })).toBe(403);
      expect(answerTo(method, '/api/v1/states/backend/1', { cookie })).toBe(403);
    },
  );

  it.each(['GET', 'HEAD', 'OPTIONS'])('passes as %s', (method) => {
    expect(answerTo(method, '/api/v1/whoami', { cookie })).toBe('passed');
  });

  it('passes with another credential', () => {
    expect(answerTo('POST', '/api/v1/tx/1/abort', { authorization: 'Bearer x' })).toBe('passed');
  });

  it.each(['/api/v1/login/password', '/API/v1/setup/admin/', '/api/v1/invitations/accept'])(
    'is refused at %s with any credential or none',
    (path) => {
      expect(answerTo('POST', path, {})).toBe(403);
      expect(answerTo('POST', path, { authorization: 'Bearer x' })).toBe(403);
      expect(answerTo('POST', path, { origin: 'http://state.internal:8080' })).toBe('passed');
    },
  );
});
