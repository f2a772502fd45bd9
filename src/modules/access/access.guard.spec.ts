import { type ExecutionContext, RequestMethod } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AccessDecisions } from './access.decisions.js';
import { SignedIn } from './access.decorators.js';
import { AccessGuard } from './access.guard.js';
import type { Principal } from './principal.js';
import type { Principals } from './principals.js';
import type { ScopeResolvers } from './scope-resolvers.js';

class Routes {
  forgot(this: void): void {}

  @SignedIn()
  declared(this: void): void {}
}

describe('The guard before every route', () => {
  const admin: Principal = {
    kind: 'session',
    credentialId: 'session:1',
    userId: 'u',
    userName: 'U',
    userType: 'user',
    sessionEpoch: 0,
    capabilities: { admin: {} },
    stateBound: false,
    tenantIds: [],
    homeTenantIds: [],
    ruleAdminTenantIds: [],
    tenantCeiling: undefined,
    groupRuleIds: [],
    claims: {},
  };
  const principals = {
    ofCredential: (credential: string) =>
      Promise.resolve({ good: admin, other: { ...admin, kind: 'refresh' } }[credential]),
  } as unknown as Principals;
  const guard = new AccessGuard(new Reflector(), principals, {} as ScopeResolvers, new AccessDecisions());
  const enter = (route: keyof Routes, credential?: string) =>
    guard.canActivate({
      getHandler: () => Routes.prototype[route],
      getClass: () => Routes,
      switchToHttp: () => ({
        getRequest: () => ({
          method: RequestMethod.GET,
          headers: credential === undefined ? {} : { authorization: `Bearer ${credential}` },
        }),
      }),
    } as unknown as ExecutionContext);

  it('lets nobody pass where a route declares nothing, not even an administrator', async () => {
    await expect(enter('forgot')).rejects.toMatchObject({ status: 401 });
    await expect(enter('forgot', 'good')).rejects.toMatchObject({ status: 403 });
  });

  it('takes no credential of a kind that the route does not name', async () => {
    await expect(enter('declared', 'good')).resolves.toBe(true);
    for (const credential of [undefined, 'other', 'unknown'])
      await expect(enter('declared', credential)).rejects.toMatchObject({ status: 401 });
  });
});
