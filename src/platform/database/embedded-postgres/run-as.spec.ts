import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { blockedDirectory, reachableDirectory } from './run-as.js';

const NOBODY = 65_534;

describe('The directory of the embedded server', () => {
  let closed: string;
  let open: string;

  beforeAll(() => {
    const base = mkdtempSync(join(tmpdir(), 'run-as-'));
    chmodSync(base, 0o755);
    [closed, open] = [join(base, 'closed'), join(base, 'open')];
    mkdirSync(join(closed, 'checkout'), { recursive: true });
    mkdirSync(open);
    chmodSync(closed, 0o700);
    chmodSync(open, 0o755);
  });
  afterAll(() => rmSync(join(closed, '..'), { recursive: true, force: true }));
  afterEach(() => jest.restoreAllMocks());

  const startedBy = (uid: number): void => {
    jest.spyOn(process, 'getuid').mockReturnValue(uid);
  };

  it('is blocked by the outermost directory that its user may not enter', () => {
    expect(blockedDirectory(join(closed, 'checkout', 'data'), NOBODY)).toBe(closed);
    expect(blockedDirectory(join(open, 'not', 'there', 'yet'), NOBODY)).toBeUndefined();
  });

  it('is one of its own below /var/lib when root starts from a checkout that is closed to the server', () => {
    startedBy(0);
    const wanted = join(closed, 'checkout', '.data');
    const found = reachableDirectory(wanted);
    expect(found).toMatch(/^\/var\/lib\/infrastructure-state-service\/[0-9a-f]{12}$/);
    // The same checkout finds its data again, and another one has its own.
    expect(reachableDirectory(wanted)).toBe(found);
    expect(reachableDirectory(join(closed, 'other', '.data'))).not.toBe(found);
  });

  it('stays where it is when the server may enter it, and for everybody but root', () => {
    startedBy(0);
    expect(reachableDirectory(join(open, '.data'))).toBe(join(open, '.data'));
    startedBy(1000);
    expect(reachableDirectory(join(closed, '.data'))).toBe(join(closed, '.data'));
  });
});
