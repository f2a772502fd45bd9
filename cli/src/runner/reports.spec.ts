import { Masker } from './masking.rules.js';
import type { LogChunk, RunnerCalls } from './protocol.js';
import { Reports } from './reports.js';

const MEGABYTE = 'x'.repeat(1_000_000);

describe('The live log that a runner sends', () => {
  let sent: LogChunk[][];
  let answer: () => Promise<void>;
  let reports: Reports;

  beforeEach(() => {
    jest.useFakeTimers();
    jest.spyOn(process.stdout, 'write').mockReturnValue(true);
    sent = [];
    answer = () => Promise.resolve();
    const calls = {
      logs: (json: Buffer) => {
        sent.push((JSON.parse(json.toString()) as { chunks: LogChunk[] }).chunks);
        return answer();
      },
    } as unknown as RunnerCalls;
    reports = new Reports(calls, new Masker(), () => undefined);
  });
  afterEach(async () => {
    answer = () => Promise.resolve();
    await reports.end();
    jest.restoreAllMocks();
    jest.useRealTimers();
  });

  const sentCharacters = (): number => sent.flat().reduce((sum, { text }) => sum + text.length, 0);

  it('goes in requests of bounded size, with every chunk once and in order', async () => {
    const writer = reports.writer(undefined);
    for (let n = 0; n < 30; n++) void writer.write('y'.repeat(100_000));
    writer.end();
    await reports.flush();
    expect(sentCharacters()).toBe(3_000_000);
    expect(sent.length).toBeGreaterThan(3);
    for (const chunks of sent)
      expect(chunks.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThan(1e6);
    const numbers = sent.flat().map(({ seq }) => seq);
    expect(numbers).toEqual(numbers.map((_, n) => n));
  });

  it('goes in requests of no more chunks than the service takes, while directories print in turn', async () => {
    const dirs = ['a', 'b', 'c'];
    const writers = dirs.map((dir) => reports.writer({ type: 'dirspace', dir, workspace: 'default' }));
    const lines = Array.from({ length: 3_000 }, (_, n) => `line ${n}\n`);
    const alloc = jest.spyOn(Buffer, 'alloc');
    for (const line of lines) for (const writer of writers) void writer.write(line);
    for (const writer of writers) writer.end();
    const heldBytes = alloc.mock.calls.reduce((sum, [bytes]) => sum + bytes, 0);
    await reports.flush();
    for (const chunks of sent) expect(chunks.length).toBeLessThanOrEqual(1_000);
    const chunks = sent.flat();
    expect(chunks.map(({ seq }) => seq)).toEqual(chunks.map((_, n) => n));
    for (const dir of dirs)
      expect(chunks.flatMap((chunk) => (chunk.dir === dir ? [chunk.text] : [])).join('')).toBe(
        lines.join(''),
      );
    // The line break is two characters in JSON.
    expect(heldBytes).toBeLessThan(1.5 * sentCharacters());
  });

  it('makes a program that prints faster than it is sent wait until it is', async () => {
    let take = (): void => undefined;
    answer = () => new Promise((resolve) => (take = resolve));
    const writer = reports.writer(undefined);
    let isFree = false;
    const room = writer.write(MEGABYTE)?.then(() => (isFree = true));
    await jest.advanceTimersByTimeAsync(5_000);
    expect(isFree).toBe(false);
    take();
    await room;
    expect(isFree).toBe(true);
    expect(writer.write('more')).toBeUndefined();
  });

  it('lets the program go on when the service does not answer, and keeps no more than a bound', async () => {
    let take = (): void => undefined;
    answer = () => new Promise((resolve) => (take = resolve));
    const writer = reports.writer(undefined);
    const room = writer.write(MEGABYTE);
    await jest.advanceTimersByTimeAsync(10_000);
    await room;
    for (let n = 0; n < 20; n++) expect(writer.write(MEGABYTE)).toBeUndefined();
    answer = () => Promise.resolve();
    take();
    await reports.flush();
    expect(sentCharacters()).toBe(1_000_000);
    // It answers again: what is printed now is shown again.
    void writer.write('again');
    await reports.flush();
    expect(sent.at(-1)).toMatchObject([{ text: 'again' }]);
  });

  it('keeps characters whole whose halves are printed one after the other', async () => {
    const writer = reports.writer({ type: 'dirspace', dir: 'a"b', workspace: 'default' });
    for (const half of ['one \ud83d', '\ude00 "two"\n']) void writer.write(half);
    writer.end();
    await reports.flush();
    expect(sent).toEqual([[{ seq: 0, dir: 'a"b', workspace: 'default', text: 'one \u{1f600} "two"\n' }]]);
  });
});
