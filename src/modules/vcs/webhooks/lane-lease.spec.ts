import { LaneLease } from './lane-lease.js';

describe('The lease of a lane', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('is renewed while it is used, and never afterwards', async () => {
    const renew = jest.fn(async () => true);
    const lease = new LaneLease(renew);
    await jest.advanceTimersByTimeAsync(65_000);
    expect(renew).toHaveBeenCalledTimes(3);
    expect(await lease.isHeld()).toBe(true);
    lease.end();
    await jest.advanceTimersByTimeAsync(600_000);
    expect(renew).toHaveBeenCalledTimes(3);
  });

  it('ends the work on it once somebody else has the lane', async () => {
    const lease = new LaneLease(async () => false);
    expect(lease.signal.aborted).toBe(false);
    await jest.advanceTimersByTimeAsync(20_000);
    expect(lease.signal.aborted).toBe(true);
    expect(await lease.isHeld()).toBe(false);
    lease.end();
  });

  it('is asked for before the next delivery when the process was held up for long', async () => {
    let isHeld = true;
    const lease = new LaneLease(async () => isHeld);
    lease.end();
    jest.setSystemTime(Date.now() + 61_000);
    jest.advanceTimersByTime(61_000);
    expect(await lease.isHeld()).toBe(true);
    isHeld = false;
    jest.advanceTimersByTime(61_000);
    expect(await lease.isHeld()).toBe(false);
  });

  it('outlasts a renewal that failed', async () => {
    let fails = true;
    const lease = new LaneLease(async () => {
      if (fails) throw new Error('no connection');
      return true;
    });
    await jest.advanceTimersByTimeAsync(20_000);
    expect(lease.signal.aborted).toBe(false);
    fails = false;
    await jest.advanceTimersByTimeAsync(20_000);
    expect(await lease.isHeld()).toBe(true);
    lease.end();
  });
});
