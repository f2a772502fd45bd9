import { execFile } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const CACHE = join(__dirname, '..', '..', 'dist', 'platform', 'start', 'compile-cache.js');

/** What a package can ask of the loader; every start prints the same. */
const PROGRAM: Record<string, string> = {
  'main.js': `
    // The cache of the service itself, on every release of Node.js.
    require('node:module').enableCompileCache = undefined;
    require(${JSON.stringify(CACHE)}).cacheCompiledCode(process.argv[2]);
    require('./app.js').then((answer) => console.log(JSON.stringify(answer)));`,
  'app.js': `#!/usr/bin/env node
    const { value } = require('./value.js');
    const early = require('./circle.js');
    module.exports = (async () => ({
      value, circle: early.seen, data: require('./data.json').data, folder: __dirname, file: __filename,
      ownExports: require('./value.js').ownExports, found: require.resolve('./value.js'),
      paths: require.resolve.paths('x').length > 0, main: require.main.filename, parent: module.parent.filename,
      cached: require.cache[require.resolve('./value.js')].loaded, dynamic: (await import('./late.mjs')).late,
      called: (await require('./importer.js').later()).late, synchronous: require('./value.js').lazily(), line: new Error('here').stack.split('\\n')[1].trim(),
    }))();`,
  'value.js': `exports.value = 1; exports.ownExports = this === exports;
    exports.lazily = function lazily() { return [1, 2, 3].map((n) => n * 2); };`,
  'importer.js': `exports.later = function later() { return import('./late.mjs'); };`,
  'circle.js': `exports.seen = 'early'; require('./circle-end.js'); exports.seen += ' late';`,
  'circle-end.js': `exports.seen = require('./circle.js').seen;`,
  'data.json': '{"data": "read"}',
  'late.mjs': `export const late = 'imported';`,
};

describe('Starts with stored code', () => {
  let folder: string;
  let cache: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'compile-cache-'));
    cache = join(folder, 'cache');
    mkdirSync(join(folder, 'program'));
    for (const [name, text] of Object.entries(PROGRAM)) writeFileSync(join(folder, 'program', name), text);
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const start = (env: Record<string, string> = {}): Promise<{ printed: string; failure: string }> =>
    new Promise((resolve) => {
      const program = join(folder, 'program', 'main.js');
      execFile(process.execPath, [program, cache], { env }, (_error, printed, failure) =>
        resolve({ printed, failure }),
      );
    });
  const withoutCache = (): Promise<{ printed: string; failure: string }> =>
    start({ NODE_DISABLE_COMPILE_CACHE: '1' });
  const storePath = (): string => join(cache, readdirSync(cache)[0] ?? '');
  /** A file that was replaced has another number. */
  const fileNumber = (): number => statSync(storePath()).ino;

  it('print what a start without it prints, and write nothing when everything was found', async () => {
    const expected = await withoutCache();
    expect(JSON.parse(expected.printed)).toMatchObject({ value: 1, dynamic: 'imported', ownExports: true });
    expect(() => readdirSync(cache)).toThrow();

    expect(await start()).toEqual(expected);
    const written = fileNumber();
    expect(await start()).toEqual(expected);
    expect([readdirSync(cache).length, fileNumber()]).toEqual([1, written]);
  });

  it('compile a changed file again', async () => {
    await start();
    writeFileSync(
      join(folder, 'program', 'value.js'),
      PROGRAM['value.js']?.replace('value = 1', 'value = 2') ?? '',
    );
    expect(JSON.parse((await start()).printed)).toMatchObject({ value: 2 });
    expect(await start()).toEqual(await withoutCache());
  });

  it('do not need the file: it may be empty, cut off, damaged or something else', async () => {
    const expected = await start();
    const whole = readFileSync(storePath());
    const overwritten = (from: number, to: number): Buffer => Buffer.from(whole).fill(0x5a, from, to);
    const damages = [
      Buffer.alloc(0),
      whole.subarray(0, 7),
      whole.subarray(0, Math.floor(whole.length / 2)),
      overwritten(0, 12),
      overwritten(20, 60),
      overwritten(Math.floor(whole.length / 2), whole.length),
      Buffer.from('{"not": "a store"}'),
    ];
    for (const damaged of damages) {
      writeFileSync(storePath(), damaged);
      expect(await start()).toEqual(expected);
      // It was replaced by a good one.
      const repaired = fileNumber();
      expect(await start()).toEqual(expected);
      expect(fileNumber()).toBe(repaired);
    }
  });

  it('do not need a folder that they can write to', async () => {
    const expected = await withoutCache();
    writeFileSync(cache, 'a file');
    expect(await start()).toEqual(expected);
    rmSync(cache);
    mkdirSync(cache);
    chmodSync(cache, 0o500);
    expect(await start()).toEqual(expected);
  });

  it('can begin at the same time', async () => {
    const expected = await withoutCache();
    expect(await Promise.all(Array.from({ length: 6 }, () => start()))).toEqual(Array(6).fill(expected));
    expect(readdirSync(cache)).toHaveLength(1);
    expect(await start()).toEqual(expected);
  });

  it('name the file and the line of a mistake', async () => {
    writeFileSync(join(folder, 'program', 'value.js'), 'exports.value = 1;\nconst = 2;\n');
    const { printed, failure } = await start();
    expect(printed).toBe('');
    expect(failure).toContain(`${join(folder, 'program', 'value.js')}:2`);
  });
});
