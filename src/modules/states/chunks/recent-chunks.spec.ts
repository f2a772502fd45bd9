import { RecentChunks } from './recent-chunks.js';

describe('Recent chunks', () => {
  it('forgets what was not asked for while half of the limit came, and keeps what was', () => {
    const recent = new RecentChunks<string>(16, (value) => value.length);
    for (const hash of ['a', 'b']) recent.store('s', hash, hash.repeat(4));
    recent.store('s', 'c', 'cccc');
    recent.find('s', 'a');
    for (const hash of ['d', 'e']) recent.store('s', hash, hash.repeat(4));
    expect(recent.find('s', 'b')).toBeUndefined();
    expect(recent.find('s', 'a')).toBe('aaaa');
  });

  it('never holds more than the limit', () => {
    const recent = new RecentChunks<string>(100, (value) => value.length);
    const hashes = Array.from({ length: 1000 }, (_, n) => `hash${n}`);
    for (const hash of hashes) recent.store('s', hash, 'xxxxxxx');
    const held = hashes.filter((hash) => recent.find('s', hash) !== undefined);
    expect(held.length).toBeGreaterThan(0);
    expect(held.length * 7).toBeLessThanOrEqual(100);
  });

  it('counts an entry once, however often it is kept', () => {
    const recent = new RecentChunks<string>(20, (value) => value.length);
    recent.store('s', 'b', 'bbbb');
    for (let i = 0; i < 5; i++) recent.store('s', 'a', 'aaaa');
    expect(recent.find('s', 'b')).toBe('bbbb');
  });

  it('keeps the chunks of states apart', () => {
    const recent = new RecentChunks<string>(10, (value) => value.length);
    recent.store('one', 'a', 'x');
    expect(recent.find('two', 'a')).toBeUndefined();
  });

  it('does not keep what is heavier than the limit', () => {
    const recent = new RecentChunks<string>(3, (value) => value.length);
    recent.store('s', 'a', 'aaaa');
    expect(recent.find('s', 'a')).toBeUndefined();
  });
});
