import type { ExecutionContext } from '@nestjs/common';
import type { Config } from '../../../platform/config/index.js';
import { httpErrors } from '../../../platform/errors/index.js';
import { PoolTokenGuard } from './pool-token.guard.js';
import type { RunTokens } from './run-tokens.js';
import { WorkTokenGuard } from './work-token.guard.js';

const KNOWN: Record<string, string> = { findByWorkToken: 'work', findPool: 'pool' };

/** Each lookup knows one token, and not the other's. */
const lookup = (name: string) => (token: string | undefined) =>
  token === KNOWN[name]
    ? Promise.resolve({})
    : Promise.reject(httpErrors.UNAUTHENTICATED('the token is unknown'));
const tokens = {
  findByWorkToken: lookup('findByWorkToken'),
  findPool: lookup('findPool'),
} as unknown as RunTokens;

function configWith(isEnabled: boolean): Config {
  return { get: () => isEnabled } as unknown as Config;
}

function contextWith(token: string | undefined): ExecutionContext {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return { switchToHttp: () => ({ getRequest: () => ({ headers }) }) } as unknown as ExecutionContext;
}

describe.each([
  ['work token', WorkTokenGuard, 'work', 'pool'],
  ['pool token', PoolTokenGuard, 'pool', 'work'],
])('The guard of the %s', (_, Guard, known, foreign) => {
  const guard = (isEnabled: boolean) => new Guard(tokens, configWith(isEnabled));

  it.each([undefined, 'unknown', foreign])(
    'answers 401 to %s, also while orchestration is off',
    async (token) => {
      for (const isEnabled of [true, false])
        await expect(guard(isEnabled).canActivate(contextWith(token))).rejects.toMatchObject({ status: 401 });
    },
  );

  it('answers 503 to a known token while orchestration is off', async () => {
    await expect(guard(false).canActivate(contextWith(known))).rejects.toMatchObject({
      id: 'ORCHESTRATION_DISABLED',
      status: 503,
    });
    await expect(guard(true).canActivate(contextWith(known))).resolves.toBe(true);
  });
});
