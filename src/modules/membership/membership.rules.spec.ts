import { cooldownLeft, maskEmail, statusAt } from './invitation.rules.js';
import { editsWiderGrant, scopeSeenFrom, stepsOf } from './member-scope.rules.js';

describe('Membership', () => {
  it.each([
    [{}, 'none'],
    [{ admin: {} }, 'wider'],
    [{ admin: { tenants: ['t'] } }, 'tenant'],
    [{ admin: { tenants: ['t', 'u'] } }, 'wider'],
    [{ admin: { tenants: ['u'] } }, 'none'],
  ])('seen from tenant t, %j reaches %s', (grants, expected) => {
    expect(scopeSeenFrom(grants, 'admin', 't')).toBe(expected);
  });

  it('changes only rights that are named and not as wanted already', () => {
    const admin = { admin: { tenants: ['t'] } };
    expect(stepsOf({ tenant_admin: true }, admin, 't')).toEqual([]);
    expect(stepsOf({ tenant_admin: false }, admin, 't')).toEqual([{ capability: 'admin', give: false }]);
    expect(stepsOf({ can_manage_users: true }, admin, 't')).toEqual([
      { capability: 'users-manage', give: true },
    ]);
    expect(stepsOf({}, admin, 't')).toEqual([]);
    expect(editsWiderGrant({ can_manage_users: true }, { admin: {} }, 't')).toBe(false);
    expect(editsWiderGrant({ tenant_admin: false }, { admin: {} }, 't')).toBe(true);
  });

  it('computes what an invitation reads and when it may be sent again', () => {
    const at = (seconds: number) => new Date(seconds * 1000);
    expect(statusAt({ status: 'pending', expiresAt: at(10) }, at(9))).toBe('pending');
    expect(statusAt({ status: 'pending', expiresAt: at(10) }, at(10))).toBe('expired');
    expect(statusAt({ status: 'revoked', expiresAt: at(10) }, at(11))).toBe('revoked');
    expect([cooldownLeft(at(0), 60, at(1)), cooldownLeft(at(0), 60, at(60))]).toEqual([59, 0]);
    expect(maskEmail('jane@example.com')).toBe('j***@example.com');
  });
});
