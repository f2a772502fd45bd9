import { spawnSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { noteRun, reportLostRuns } from './lost-runs.js';
import type { RunContext } from './run-context.js';

const SERVICE = 'http://service.example';

describe('runs whose client was killed', () => {
  let scratch: string;

  beforeEach(() => {
    scratch = mkdtempSync(join(tmpdir(), 'lost-runs-'));
  });
  afterEach(() => rmSync(scratch, { recursive: true }));

  const said: string[] = [];
  const run = {
    context: { address: SERVICE, output: { printNote: (text: string) => said.push(text) } },
    interruption: { throwIfInterrupted: () => undefined },
  } as unknown as RunContext;

  function aDirectory(name: string): string {
    const directory = join(scratch, name);
    mkdirSync(directory, { mode: 0o700 });
    return directory;
  }

  /** Nobody has this id any more. */
  const dead = () => spawnSync(process.execPath, ['--version']).pid;

  it('are looked for beside directories that other runs remove at that moment', async () => {
    symlinkSync(join(scratch, 'removed'), join(scratch, 'infrastate-aaaaaa'));
    aDirectory('infrastate-bbbbbb');
    await expect(reportLostRuns(run, scratch)).resolves.toBeUndefined();
  });

  it('are not those whose note is half written, and it stops nobody', async () => {
    const directory = aDirectory('infrastate-cccccc');
    writeFileSync(join(directory, 'run.json'), '{"service": "http://se');
    await expect(reportLostRuns(run, scratch)).resolves.toBeUndefined();
    expect(existsSync(join(directory, 'run.json'))).toBe(true);
  });

  it('are left to the run that reports them first', async () => {
    const directory = aDirectory('infrastate-dddddd');
    const note = { service: SERVICE, tx: 'x', token: 't', home: scratch, root: join(directory, 'root') };
    writeFileSync(join(directory, 'run.json'), JSON.stringify({ ...note, pid: dead(), terraform: dead() }));
    await expect(reportLostRuns(run, scratch)).resolves.toBeUndefined();
    expect(said).toHaveLength(1);
  });

  it('are noted whole: who reads while the note is replaced reads one or the other', () => {
    const directory = aDirectory('infrastate-eeeeee');
    const note = { service: SERVICE, tx: 'first', token: 't', home: '', root: '', terraform: 1 };
    noteRun(directory, note);
    const file = openSync(join(directory, 'run.json'), 'r');
    noteRun(directory, { ...note, tx: 'second' });
    const [before, after] = [readFileSync(file, 'utf8'), readFileSync(join(directory, 'run.json'), 'utf8')];
    closeSync(file);
    expect([JSON.parse(before), JSON.parse(after)]).toEqual([
      { ...note, pid: process.pid },
      { ...note, tx: 'second', pid: process.pid },
    ]);
    expect(readdirSync(directory)).toEqual(['run.json']);
  });
});
