import { ReadingService, SMALL_TEXT } from './reading.service.js';

describe('Reading', () => {
  it.each([1, SMALL_TEXT + 1])('does not begin for a client that left (%d bytes)', async (bytes) => {
    const reading = new ReadingService();
    const left = AbortSignal.abort(new Error('left'));
    const input = { entries: [], sensitiveVariables: [] };
    await expect(reading.read({ kind: 'shown', input, bytes, group: 'a', left })).rejects.toThrow('left');
    await expect(reading.read({ kind: 'shown', input, bytes: 1, group: 'a' })).resolves.toEqual([]);
    await reading.onApplicationShutdown();
  });
});
