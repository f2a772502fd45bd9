import bcrypt from 'bcrypt';
import { Passwords } from './passwords.js';

describe('Passwords', () => {
  const passwords = new Passwords();
  afterEach(() => jest.restoreAllMocks());

  it('are compared just as often and as hard when there is nothing to compare with', async () => {
    const stored = await passwords.hash('correct horse');
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
});
