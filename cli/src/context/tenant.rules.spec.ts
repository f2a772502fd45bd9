import { chooseTenant } from './tenant.rules.js';

const [ONE, OTHER] = [
  { id: '11111111-1111-4111-8111-11111111111a', name: 'One' },
  { id: '22222222-2222-4222-8222-222222222222', name: 'Other' },
];

describe('the tenant', () => {
  it('is the only one there is', () => {
    expect(chooseTenant([ONE], undefined)).toBe(ONE);
  });

  it('is found by id, in any case, and by name', () => {
    expect(chooseTenant([ONE, OTHER], ONE.id.toUpperCase())).toBe(ONE);
    expect(chooseTenant([ONE, OTHER], 'Other')).toBe(OTHER);
  });

  it('may be one that the caller is no member of, by its id', () => {
    const id = '33333333-3333-4333-8333-333333333333';
    expect(chooseTenant([ONE, OTHER], id)).toEqual({ id, name: id });
  });

  it('has to be named when there are several, and to exist', () => {
    expect(() => chooseTenant([ONE, OTHER], undefined)).toThrow('several tenants: One, Other');
    expect(() => chooseTenant([ONE, OTHER], 'one')).toThrow('no tenant "one"');
    expect(() => chooseTenant([], undefined)).toThrow('no tenant');
  });
});
