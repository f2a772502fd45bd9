import { mayChange, mayChangeEmail, mayDelete, maySee, tenantsToJoin } from './authority.rules.js';

const admin = { admin: {} };
const adminOfA = { admin: { tenants: ['a'] } };
const managerOfA = { 'users-manage': { tenants: ['a'] } };
const manager = { 'users-manage': {} };
const person = (held: object, ...tenantIds: string[]) => ({ held, tenantIds, homeTenantIds: tenantIds });
const guestOfX = (held: object, ...homeTenantIds: string[]) => ({
  held,
  tenantIds: [...homeTenantIds, 'x'],
  homeTenantIds,
});
const adminOfX = { admin: { tenants: ['x'] } };

describe('Authority over people', () => {
  it('reaches those who belong only to tenants of the grant', () => {
    expect(maySee(adminOfA, person({}, 'a'))).toBe(true);
    expect(maySee(adminOfA, person({}, 'a', 'b'))).toBe(false);
    expect(maySee(manager, person({}))).toBe(true);
  });

  it('needs strictly more of it, except among installation admins', () => {
    expect(mayChange(admin, person(admin, 'a'))).toBe(true);
    expect(mayChange(adminOfA, person(adminOfA, 'a'))).toBe(false);
    expect(mayChange(adminOfA, person(managerOfA, 'a'))).toBe(true);
    expect(mayChange(managerOfA, person(managerOfA, 'a'))).toBe(false);
    expect(mayChange(managerOfA, person({}, 'a'))).toBe(true);
    expect(mayChange(adminOfA, person({ sudo: {} }, 'a'))).toBe(false);
  });

  it('never lets a users-manage holder delete an admin or another holder', () => {
    expect(mayDelete(manager, person(managerOfA, 'a'))).toBe(false);
    expect(mayDelete(manager, person(adminOfA, 'a'))).toBe(false);
    expect(mayDelete(manager, person({}, 'a'))).toBe(true);
    expect(mayDelete(adminOfA, person(managerOfA, 'a'))).toBe(true);
  });

  it('does not change with what another tenant does: a grant there, or a membership that was not asked for', () => {
    for (const target of [person(adminOfX, 'a'), guestOfX({}, 'a')]) {
      expect(maySee(adminOfA, target)).toBe(true);
      expect(mayChange(adminOfA, target)).toBe(true);
      expect(mayDelete(managerOfA, target)).toBe(true);
      expect(mayChange(adminOfX, target)).toBe(false);
    }
    // An account that administers the other tenant is not taken over from its home.
    expect(mayChange(adminOfA, guestOfX(adminOfX, 'a'))).toBe(false);
  });

  it('counts what the caller administers only where the target belongs', () => {
    const elsewhere = { ...managerOfA, ...adminOfX };
    expect(mayDelete(elsewhere, person(managerOfA, 'a'))).toBe(false);
    expect(mayChange(elsewhere, person(managerOfA, 'a'))).toBe(false);
    expect(mayChangeEmail(elsewhere, person({}, 'a'))).toBe(false);
    expect(mayChangeEmail(adminOfA, person({}, 'a'))).toBe(true);
  });

  it('puts a new user into the tenants of the creator that the grant reaches', () => {
    expect(tenantsToJoin(manager, ['a', 'b'])).toEqual(['a', 'b']);
    expect(tenantsToJoin(managerOfA, ['a', 'b'])).toEqual(['a']);
    expect(tenantsToJoin(managerOfA, ['b'])).toEqual([]);
  });
});
