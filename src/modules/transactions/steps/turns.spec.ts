import { setTimeout as delay } from 'node:timers/promises';
import { Turns } from './turns.js';

describe('Turns', () => {
  it('follow one another for one key, in the order in which they were asked for, whatever fails', async () => {
    const turns = new Turns();
    const said: string[] = [];
    const work = (name: string, ms: number, fails = false) =>
      turns.take('a', async () => {
        said.push(`${name} begins`);
        await delay(ms);
        said.push(`${name} ends`);
        if (fails) throw new Error(name);
        return name;
      });
    const all = await Promise.allSettled([work('one', 20, true), work('two', 5), work('three', 0)]);
    expect(said).toEqual(['one', 'two', 'three'].flatMap((name) => [`${name} begins`, `${name} ends`]));
    expect(all.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
  });

  it('do not wait for those of another key', async () => {
    const turns = new Turns();
    let free: () => void = () => undefined;
    const first = turns.take('a', () => new Promise<void>((resolve) => (free = resolve)));
    expect(await turns.take('b', async () => Promise.resolve('b'))).toBe('b');
    free();
    await first;
  });
});
