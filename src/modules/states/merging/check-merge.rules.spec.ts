import { mergeCheck } from './check-merge.rules.js';

const check = (objects: Record<string, string>, status = 'pass') =>
  JSON.stringify({
    object_kind: 'resource',
    config_addr: 'a.b',
    status,
    objects: Object.entries(objects).map(([key, value]) => ({ object_addr: key, status: value })),
  });

describe('Check results of one configuration object', () => {
  it('are merged by instance', () => {
    const base = check({ x: 'pass' });
    const merged = mergeCheck(base, check({ x: 'pass', y: 'pass' }), check({ x: 'pass', z: 'pass' }));
    expect(merged).toBe(check({ x: 'pass', y: 'pass', z: 'pass' }));
  });

  it('take what the writer changed, and keep what only another changed', () => {
    const base = check({ x: 'pass', y: 'pass' });
    const merged = mergeCheck(
      base,
      check({ x: 'unknown', y: 'pass' }, 'unknown'),
      check({ x: 'pass', y: 'fail' }, 'fail'),
    );
    expect(merged).toBe(check({ x: 'unknown', y: 'fail' }, 'fail'));
  });

  it('lose the instances that the writer removed', () => {
    const base = check({ x: 'pass', y: 'fail' }, 'fail');
    expect(mergeCheck(base, check({ x: 'pass' }), base)).toBe(check({ x: 'pass' }));
  });

  it('are the writer’s where the others have none, and none where it removed them', () => {
    expect(mergeCheck(undefined, check({ x: 'pass' }), undefined)).toBe(check({ x: 'pass' }));
    expect(mergeCheck(check({ x: 'pass' }), undefined, check({ x: 'fail' }))).toBeUndefined();
  });
});
