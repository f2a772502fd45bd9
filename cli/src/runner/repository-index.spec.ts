import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { indexRepository } from './repository-index.js';

describe('The index of a checkout', () => {
  let root: string;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'index-'));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  function write(path: string, text = ''): void {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }

  it('has the local modules that each directory calls', () => {
    write(
      'live/a/main.tf',
      'module "net" { source = "../../modules/net" }\nmodule "far" { source = "acme/net/aws" }',
    );
    write('live/a/more.tf.json', '{"module": {"base": {"source": "../../modules/base/"}}}');
    write(
      'modules/net/main.tf',
      'module "up" { source = "../.." }\nmodule "out" { source = "../../../elsewhere" }',
    );
    write('modules/base/main.tf', 'module "here" { source = "./inner" }');
    write('main.tf', 'module "a" { source = "./modules/net" }');
    write('live/b/broken.tf', 'module "x" { source = ');
    write('docs/readme.md');
    write('live/a/.terraform/modules/x/main.tf', 'module "x" { source = "./y" }');
    expect(indexRepository(root).calls).toEqual({
      '.': ['modules/net'],
      'live/a': ['modules/base', 'modules/net'],
      'live/b': [],
      'modules/base': ['modules/base/inner'],
      'modules/net': ['.'],
    });
  });

  it('has the links that stay within the repository', () => {
    write('shared/common.tf');
    write('live/main.tf');
    symlinkSync('../shared/common.tf', join(root, 'live/common.tf'));
    symlinkSync('live', join(root, 'prod'));
    symlinkSync('/etc', join(root, 'live/etc'));
    symlinkSync('../../outside', join(root, 'live/out'));
    expect(indexRepository(root).links).toEqual({ 'live/common.tf': 'shared/common.tf', prod: 'live' });
  });
});
