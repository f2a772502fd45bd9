import { EtagCache } from './etag-cache.js';

describe('Answers with an ETag', () => {
  const answer = (size: number) => ({ etag: '"1"', body: Buffer.alloc(size), headers: new Headers() });
  const keptOf = (cache: EtagCache, count: number): number =>
    Array.from({ length: count }, (_, at) => cache.find(String(at))).filter((found) => found !== undefined)
      .length;

  it('are bounded in number even where their bodies are empty', () => {
    const cache = new EtagCache(1024 * 1024);
    for (let at = 0; at < 5_000; at += 1) cache.store(String(at), answer(0));
    expect(keptOf(cache, 5_000)).toBe(256);
    expect(cache.find('4999')).toBeDefined();
  });

  it('leave the room of an answer that they replace', () => {
    const cache = new EtagCache(1024 * 1024);
    for (let at = 0; at < 5_000; at += 1) cache.store('same', answer(10_000));
    cache.store('other', answer(10_000));
    expect([cache.find('same'), cache.find('other')]).not.toContain(undefined);
  });
});
