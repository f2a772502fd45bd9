import { levelsAbove, localSource, modulePlaces } from './module-places.rules.js';

const block = (
  module: string,
  file: string,
  data = {},
): { module: string; file: string; data: Record<string, never> } => ({
  module,
  file,
  data,
});

describe('the places of modules', () => {
  it('are where they came from; of two calls of one directory the second is a copy', () => {
    const places = modulePlaces([
      block('', 'main.tf'),
      block('module.a', 'net/main.tf'),
      block('module.b', 'net/main.tf'),
      block('module.a.module.sub', '../shared/x.tf'),
    ]);
    expect([...places.values()].map(({ path, origin, directory }) => [path, origin, directory])).toEqual([
      ['', '', ''],
      ['module.a', 'net', 'net'],
      ['module.a.module.sub', '../shared', '../shared'],
      ['module.b', 'net', '.infrastate/modules/3'],
    ]);
  });

  it('are there for calls of modules that hold nothing', () => {
    const places = modulePlaces([
      { ...block('', 'main.tf'), data: { module: { empty: { source: './x' } } } },
    ]);
    expect(places.get('module.empty')?.directory).toMatch(/^\.infrastate\/modules\//);
  });

  it('see each other through relative sources', () => {
    expect(localSource('', 'net')).toBe('./net');
    expect(localSource('net', '')).toBe('../');
    expect(localSource('net/a', '../shared')).toBe('../../../shared');
    expect(localSource('', '../shared')).toBe('../shared');
    expect(levelsAbove(['a/b', '../x', 'a/../../../y'])).toBe(2);
  });
});
