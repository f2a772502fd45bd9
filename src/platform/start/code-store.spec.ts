import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { CodeStore } from './code-store.js';

describe('A store of compiled code', () => {
  let folder: string;
  let path: string;
  const code = new Map([
    ['one', Buffer.from('first code')],
    ['two', Buffer.from('second code, which is longer')],
    ['none', Buffer.alloc(0)],
  ]);

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'code-store-'));
    path = join(folder, 'below', 'store');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('returns what was stored', () => {
    CodeStore.open(path).replace(code);

    const store = CodeStore.open(path);
    expect(new Map([...code.keys()].map((key) => [key, store.read(key)]))).toEqual(code);
    expect(store.read('three')).toBeUndefined();
  });

  it('keeps the code that was used when new code is added, and drops the rest', () => {
    CodeStore.open(path).replace(code);
    const store = CodeStore.open(path);
    store.read('two');
    store.replace(new Map([['three', Buffer.from('third code')]]));

    const next = CodeStore.open(path);
    expect(['one', 'two', 'three'].map((key) => next.read(key)?.toString())).toEqual([
      undefined,
      'second code, which is longer',
      'third code',
    ]);
  });

  it('deletes the files that were written first when there are more than eight', () => {
    mkdirSync(join(folder, 'below'));
    for (let n = 0; n < 10; n++) {
      writeFileSync(join(folder, 'below', `older-${n}`), '');
      utimesSync(join(folder, 'below', `older-${n}`), n, n);
    }
    mkdirSync(join(folder, 'below', 'a-folder'));
    utimesSync(join(folder, 'below', 'a-folder'), 1, 1);
    CodeStore.open(path).replace(code);
    expect(readdirSync(join(folder, 'below')).sort()).toEqual([
      'a-folder',
      ...[3, 4, 5, 6, 7, 8, 9].map((n) => `older-${n}`),
      'store',
    ]);
  });

  it('is empty without a file, and cannot be written where a file is in the place of its folder', () => {
    expect(CodeStore.open(path).read('one')).toBeUndefined();
    writeFileSync(join(folder, 'below'), '');
    expect(CodeStore.open(path).read('one')).toBeUndefined();
    expect(() => CodeStore.open(path).replace(code)).toThrow();
  });

  it('never returns other bytes than it stored, wherever its file is damaged or cut off', () => {
    CodeStore.open(path).replace(code);
    const whole = readFileSync(path);
    expect(statSync(path).size).toBeGreaterThan(100);

    fc.assert(
      fc.property(
        fc.nat(whole.length - 1),
        fc.integer({ min: 0, max: 255 }),
        fc.boolean(),
        (place, byte, cut) => {
          const damaged = Buffer.from(whole);
          damaged[place] = byte;
          writeFileSync(path, cut ? damaged.subarray(0, place) : damaged);
          const store = CodeStore.open(path);
          for (const [key, bytes] of code) expect([undefined, bytes]).toContainEqual(store.read(key));
        },
      ),
    );
  });
});
