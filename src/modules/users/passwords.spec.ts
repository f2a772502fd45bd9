import bcrypt from 'bcrypt';
import { Passwords } from './passwords.js';

describe('Passwords', () => {
  const passwords = new Passwords();
  afterEach(() => jest.restoreAllMocks());

  it('are compared just as often and as hard when there is nothing to compare with', async () => {
    const stored = await passwords.hash('correct horse', 'caller');
    const compare = jest.spyOn(bcrypt, 'compare');
    expect(await passwords.matches('wrong horse', stored)).toBe(false);
    expect(await passwords.matches('wrong horse', undefined)).toBe(false);
    expect(await passwords.matches('wrong horse', null)).toBe(false);
    expect(compare).toHaveBeenCalledTimes(3);
    const hashes = compare.mock.calls.map(([, hash]) => hash);
    expect(hashes.map((hash) => [hash.length, bcrypt.getRounds(hash)])).toEqual([
      [60, 10],
      [60, 10],
      [60, 10],
    ]);
    expect(hashes[1]).not.toBe(stored);
    expect(await passwords.matches('correct horse', stored)).toBe(true);
  });

  it('are hashed a few at a time', async () => {
    let [running, most] = [0, 0];
    const real = bcrypt.compare.bind(bcrypt) as (data: string, hash: string) => Promise<boolean>;
    const comparing: jest.SpyInstance = jest.spyOn(bcrypt, 'compare');
    comparing.mockImplementation(async (data: string, hash: string) => {
      running += 1;
      most = Math.max(most, running);
      return real(data, hash).finally(() => (running -= 1));
    });
    await Promise.all(Array.from({ length: 6 }, () => passwords.matches('x', undefined)));
    expect(most).toBe(2);
  });

  it('let people who sign in go before new passwords', async () => {
    const done: string[] = [];
    const hashes = Array.from({ length: 10 }, (_, index) =>
      passwords.hash('correct horse', `caller ${index}`).then(() => done.push('hash')),
    );
    const checks = Array.from({ length: 4 }, () =>
      passwords.matches('correct horse', null).then(() => done.push('check')),
    );
    await Promise.all([...hashes, ...checks]);
    // One hash was at work when the checks came, and a second may end beside the last check.
    expect(done.lastIndexOf('check')).toBeLessThan(4 + 2);
  });

  it('are not hashed for somebody who left while they waited', async () => {
    const hashing = jest.spyOn(bcrypt, 'hash');
    const comparing = jest.spyOn(bcrypt, 'compare');
    const leaving = new AbortController();
    const first = Array.from({ length: 2 }, () => passwords.matches('correct horse', null));
    const gone = [
      ...Array.from({ length: 5 }, (_, index) =>
        passwords.hash('correct horse', `caller ${index}`, leaving.signal),
      ),
      passwords.matches('correct horse', null, leaving.signal),
    ];
    const outcomes = Promise.allSettled(gone);
    const last = passwords.matches('correct horse', null);
    leaving.abort(new Error('left'));
    expect((await outcomes).map(({ status }) => status)).toEqual(Array(6).fill('rejected'));
    await Promise.all([...first, last]);
    await expect(passwords.hash('correct horse', 'a', leaving.signal)).rejects.toThrow('left');
    expect([hashing.mock.calls.length, comparing.mock.calls.length]).toEqual([0, 3]);
  });

  it('are turned away beyond the queue, of either kind by itself, and beyond eight of one caller', async () => {
    const hashes = Array.from({ length: 40 }, (_, index) =>
      passwords.hash('correct horse', `caller ${index}`),
    );
    const more = Array.from({ length: 12 }, () => passwords.hash('correct horse', 'one caller'));
    const [outcomes, ofOne] = [Promise.allSettled(hashes), Promise.allSettled(more)];
    // The queue of new passwords is full, and a sign-in still has its place.
    await expect(passwords.matches('correct horse', null)).resolves.toBe(false);
    const statuses = (await outcomes).map((outcome) =>
      outcome.status === 'rejected' ? (outcome.reason as { status: number }).status : 200,
    );
    expect(statuses).toEqual([...Array<number>(25).fill(200), ...Array<number>(15).fill(503)]);
    const limited = (await ofOne).filter(
      (outcome) => outcome.status === 'rejected' && (outcome.reason as { status: number }).status === 429,
    );
    expect(limited).toHaveLength(4);
    await expect(passwords.hash('another', 'one caller')).resolves.toContain('$2b$');
  });
});
