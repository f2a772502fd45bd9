import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeBundle } from './bundle-directory.js';

describe('a bundle in a directory', () => {
  it('is read by Terraform and by OpenTofu, whichever wrote its files', () => {
    const base = mkdtempSync(join(tmpdir(), 'bundle-'));
    const block = (file: string, name: string) => ({
      file,
      module: '',
      data: { resource: { t: { [name]: { x: name } } } },
    });
    const hcl = [block('main.tofu', 'a'), block('main.tf', 'b'), block('more.tofu.json', 'c')];
    const root = writeBundle({ hcl, files: [], state: '{}', isEmpty: false }, base, { home: base });
    const text = readFileSync(join(root, 'main.tf'), 'utf8');
    expect(text).toContain('"a"');
    expect(text).toContain('"b"');
    expect(readFileSync(join(root, 'more.tf.json'), 'utf8')).toContain('"c"');
    expect(existsSync(join(root, 'main.tofu'))).toBe(false);
    rmSync(base, { recursive: true });
  });
});
