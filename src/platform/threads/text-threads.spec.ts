import { SMALL_TEXT, TextThreads } from './text-threads.js';

describe('Reading a text', () => {
  it.each([1, SMALL_TEXT + 1])('does not begin for a client that left (%d bytes)', async (bytes) => {
    const threads = new TextThreads();
    const work = { file: '', name: '', perform: (input: string) => input.length };
    const left = AbortSignal.abort(new Error('left'));
    await expect(threads.run(work, { input: 'abc', bytes, group: 'a', left })).rejects.toThrow('left');
    await expect(threads.run(work, { input: 'abc', bytes: 3, group: 'a' })).resolves.toBe(3);
    await threads.onApplicationShutdown();
  });
});
