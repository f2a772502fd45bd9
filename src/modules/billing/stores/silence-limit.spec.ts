import { SilenceLimit } from './silence-limit.js';

const LIMIT_MS = 60_000;

/** A request that never ends by itself. */
function request(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('aborted by the client')));
  });
}

describe('The limit of silence', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('begins again whenever the store sends something', async () => {
    const outer = new AbortController();
    let limit: SilenceLimit | undefined;
    const run = SilenceLimit.run(outer.signal, LIMIT_MS, (own) => {
      limit = own;
      return request(own.signal);
    });
    const failed = run.then(undefined, (error: Error) => error.message);
    for (let page = 0; page < 10; page++) {
      jest.advanceTimersByTime(LIMIT_MS - 1);
      expect(limit?.signal.aborted).toBe(false);
      limit?.restart();
    }
    jest.advanceTimersByTime(LIMIT_MS);
    expect(await failed).toBe('the store did not answer in time');
  });

  it('leaves the reason of a stopped sync, and the answer of a store, alone', async () => {
    const outer = new AbortController();
    const run = SilenceLimit.run(outer.signal, LIMIT_MS, ({ signal }) => request(signal));
    outer.abort();
    await expect(run).rejects.toThrow('aborted by the client');
    const answered = SilenceLimit.run(new AbortController().signal, LIMIT_MS, ({ signal }) =>
      Promise.resolve(signal),
    );
    const signal = await answered;
    jest.advanceTimersByTime(10 * LIMIT_MS);
    expect(signal.aborted).toBe(false);
  });
});
