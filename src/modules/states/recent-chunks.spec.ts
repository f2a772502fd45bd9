import { RecentChunks } from './recent-chunks.js';

describe('Recent chunks', () => {
  it('drops what was asked for longest ago when the weight passes the limit', () => {
    const recent = new RecentChunks<string>(10, (value) => value.length);
    recent.keep('s', 'a', 'aaaa');
    recent.keep('s', 'b', 'bbbb');
    recent.find('s', 'a');
    recent.keep('s', 'c', 'cccc');
    expect(['a', 'b', 'c'].map((hash) => recent.find('s', hash))).toEqual(['aaaa', undefined, 'cccc']);
  });

  it('counts an entry once, however often it is kept', () => {
    const recent = new RecentChunks<string>(10, (value) => value.length);
    for (let i = 0; i < 5; i++) recent.keep('s', 'a', 'aaaa');
    recent.keep('s', 'b', 'bbbb');
    expect(recent.find('s', 'a')).toBe('aaaa');
  });

  it('keeps the chunks of states apart', () => {
    const recent = new RecentChunks<string>(10, (value) => value.length);
    recent.keep('one', 'a', 'x');
    expect(recent.find('two', 'a')).toBeUndefined();
  });

  it('does not keep what is heavier than the limit', () => {
    const recent = new RecentChunks<string>(3, (value) => value.length);
    recent.keep('s', 'a', 'aaaa');
    expect(recent.find('s', 'a')).toBeUndefined();
  });
});
