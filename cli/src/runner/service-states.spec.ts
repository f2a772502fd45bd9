import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keepUndeliveredStates } from './service-states.js';

describe('A state that could not be stored', () => {
  const started = process.cwd();
  let checkout: string;
  let place: string;

  beforeEach(() => {
    // Another file system where there is one, as the working directory of a CI container often is.
    checkout = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'checkout-'));
    place = mkdtempSync(join(tmpdir(), 'place-'));
    process.chdir(place);
  });
  afterEach(() => {
    process.chdir(started);
    for (const directory of [checkout, place]) rmSync(directory, { recursive: true, force: true });
  });

  it('outlives the checkout, for the eyes of its owner only', () => {
    writeFileSync(join(checkout, 'errored.tfstate'), '{"serial": 1}');
    const [kept = '', ...others] = keepUndeliveredStates(checkout, 'run-0');
    expect(others).toEqual([]);
    expect(readFileSync(kept, 'utf8')).toBe('{"serial": 1}');
    expect(statSync(kept).mode & 0o777).toBe(0o600);
    expect(existsSync(join(checkout, 'errored.tfstate'))).toBe(false);
    expect(keepUndeliveredStates(checkout, 'run-0')).toEqual([]);
  });
});
