import { withDeadline } from './deadline.js';

const never = new Promise<never>(() => undefined);
const MINUTE_MS = 60_000;

describe('A deadline', () => {
  it('answers what the work answers in time', async () => {
    await expect(withDeadline(Promise.resolve('done'), MINUTE_MS, () => 'late')).resolves.toBe('done');
  });

  it('fails as the work fails in time', async () => {
    const work = Promise.reject(new Error('broken'));
    await expect(withDeadline(work, MINUTE_MS, () => 'late')).rejects.toThrow('broken');
  });

  it('answers what the caller wants once the time is over, also a negative one', async () => {
    await expect(withDeadline(never, 1, () => 'late')).resolves.toBe('late');
    await expect(withDeadline(never, -1, () => 'late')).resolves.toBe('late');
  });

  it('fails with what the caller throws once the time is over', async () => {
    const late = () => {
      throw new Error('too late');
    };
    await expect(withDeadline(never, 1, late)).rejects.toThrow('too late');
  });

  it('ignores work that fails after the deadline', async () => {
    let fail = (_error: Error): void => undefined;
    const work = new Promise<string>((_resolve, reject) => (fail = reject));
    await expect(withDeadline(work, 1, () => 'late')).resolves.toBe('late');
    fail(new Error('nobody waits for this'));
    await new Promise((resolve) => setImmediate(resolve));
  });

  it('leaves no timer behind', async () => {
    const before = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    await withDeadline(Promise.resolve(), MINUTE_MS, () => undefined);
    const after = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    expect(after).toBe(before);
  });
});
