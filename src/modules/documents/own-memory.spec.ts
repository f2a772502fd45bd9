import { MessageChannel } from 'node:worker_threads';
import { memoryToMove, ownCopy, withOwnMemory } from './own-memory.js';

describe('memoryToMove', () => {
  it('names the memory of each buffer once', () => {
    const first = ownCopy(Buffer.from('first'));
    const second = ownCopy(Buffer.from('second'));

    expect(memoryToMove([first, second, first])).toEqual([first.buffer, second.buffer]);
  });

  it('leaves empty memory where it is, so that it can be sent with any number of messages', () => {
    const { port1, port2 } = new MessageChannel();
    const empty = withOwnMemory(Buffer.alloc(0));

    for (const message of ['first', 'second'])
      expect(() => port1.postMessage({ message, empty }, memoryToMove([empty]))).not.toThrow();

    expect(memoryToMove([empty])).toEqual([]);
    port1.close();
    port2.close();
  });
});
