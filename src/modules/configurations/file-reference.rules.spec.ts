import { directoryPoints, filesRead } from './file-reference.rules.js';

describe('the files a function reads', () => {
  it.each([
    ['file', '"${path.module}/a.json"', 'file:modules/net/a.json'],
    ['file', '"${ path.root }/a.json"', 'file:a.json'],
    ['filebase64', '"${path.module}/../shared/a.json"', 'file:modules/shared/a.json'],
    ['file', '"./a.json"', 'file:a.json'],
    ['templatefile', '"${path.module}/templates/${each.key}.tpl"', 'dir:modules/net/templates'],
    ['templatefile', '"${path.module}/tpl-${each.key}"', 'dir:modules/net'],
    ['file', 'var.path', 'dir:'],
    ['file', '"${var.path}/x"', 'dir:'],
    ['file', '"/etc/hosts"', 'dir:'],
    ['fileset', 'path.module', 'dir:modules/net'],
    ['fileset', '"${path.module}/static"', 'dir:modules/net/static'],
    ['fileset', 'path.root', 'dir:'],
  ])('%s(%s) is %s', (name, argument, point) => {
    expect(filesRead({ name, argument }, 'modules/net/main.tf')).toBe(point);
  });

  it('stand in all directories above them', () => {
    expect(directoryPoints('a/b/c.txt')).toEqual(['dir:', 'dir:a', 'dir:a/b']);
    expect(directoryPoints('../x.txt')).toEqual(['dir:', 'dir:..']);
  });
});
