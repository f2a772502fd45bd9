import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

describe('A build that is needed', () => {
  it('says first that it takes a while', () => {
    const folder = mkdtempSync(join(tmpdir(), 'build-'));
    try {
      // A folder with nothing built, and nothing to build with: it says so and fails.
      mkdirSync(join(folder, 'tools'));
      const script = join(folder, 'tools', 'build.mjs');
      cpSync(join(__dirname, '..', '..', 'tools', 'build.mjs'), script);
      const { stdout, status } = spawnSync(process.execPath, [script], { encoding: 'utf8' });
      expect(stdout.split('\n')[0]).toBe('building, which takes up to a minute...');
      expect(status).not.toBe(0);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
