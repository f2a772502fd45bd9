import { Logger } from '@nestjs/common';
import { Lifecycle } from './lifecycle.js';

describe('the end of a process', () => {
  beforeAll(() => Logger.overrideLogger(false));

  it('comes although a step waits for something that does not end', async () => {
    const lifecycle = new Lifecycle();
    const stopped: string[] = [];
    lifecycle.onStop(() => void stopped.push('first'));
    lifecycle.onStop(() => new Promise(() => undefined), 1);
    lifecycle.onStop(() => void stopped.push('last'));
    await lifecycle.stop();
    expect(stopped).toEqual(['last', 'first']);
  });

  it('does not hide why a step with a limit failed', async () => {
    const lifecycle = new Lifecycle();
    lifecycle.onStop(() => Promise.reject(new Error('no')), 60_000);
    await expect(lifecycle.stop()).rejects.toThrow('no');
  });
});
