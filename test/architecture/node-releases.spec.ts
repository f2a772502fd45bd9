import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { satisfies } from 'semver';

const ROOT = join(__dirname, '..', '..');
const text = (name: string) => readFileSync(join(ROOT, name), 'utf8');
const engines = (name: string) => (JSON.parse(text(name)) as { engines: { node: string } }).engines.node;

/** First and last of each line that is promised. */
const PROMISED = ['20.19.0', '20.20.2', '22.13.0', '22.23.3', '24.11.0', '24.21.0', '26.0.0', '26.10.0'];
const REFUSED = ['18.20.8', '20.18.3', '21.7.3', '22.12.0', '23.11.1', '24.10.0'];

/** `tools/start.mjs` as a process that believes to be another release. */
function startOn(version: string): { status: number | null; lines: string[] } {
  const pretend = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`;
  const script = `${pretend}; import('./tools/start.mjs')`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['-e', script], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  return { status, lines: `${stdout}${stderr}`.trim().split('\n') };
}

describe('The supported Node.js releases', () => {
  it.each(['package.json', 'sdk/package.json', 'cli/package.json'])('are what %s promises', (name) => {
    expect(PROMISED.filter((version) => !satisfies(version, engines(name)))).toEqual([]);
    expect(REFUSED.filter((version) => satisfies(version, engines(name)))).toEqual([]);
  });

  it('supported Node.js releases satisfy the engines of every dependency', () => {
    const lock = JSON.parse(text('package-lock.json')) as {
      packages: Record<string, { engines?: { node?: string } }>;
    };
    const unsupported = Object.entries(lock.packages).flatMap(([name, { engines: needs }]) =>
      PROMISED.filter((version) => needs?.node !== undefined && !satisfies(version, needs.node)).map(
        (version) => `${name} needs Node.js ${needs?.node}, not ${version}`,
      ),
    );
    expect(unsupported).toEqual([]);
  });

  it.each(REFUSED)('do not include %s: npm start refuses it in one line', (version) => {
    expect(startOn(version)).toEqual({
      status: 1,
      lines: [expect.stringContaining(`Node.js ${version} is not supported; install 20.19`)],
    });
  });

  it('are what the image and the README name', () => {
    const images = [...text('Dockerfile').matchAll(/^FROM node:(\d+)/gm)].map(([, major]) => `${major}.99.0`);
    expect(images.length).toBeGreaterThan(0);
    expect(images.filter((version) => !satisfies(version, '24'))).toEqual([]);
    expect(text('README.md').replaceAll(/\s+/g, ' ')).toContain(
      'Node.js: 20.19 or a later 20.x, 22.13 or a later 22.x, or 24.11 or any later version',
    );
  });
});
