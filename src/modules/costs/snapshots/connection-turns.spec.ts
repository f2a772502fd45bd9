import { ConnectionTurns } from './connection-turns.js';

/** A statement that ends when the test says so. */
function held<T>(answer: T) {
  const state = { hasBegun: false };
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const statement = async (): Promise<T> => {
    state.hasBegun = true;
    await ended;
    return answer;
  };
  return { state, statement, end: () => end() };
}

const turns = async (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function* batchesOf(log: string[], count: number): AsyncGenerator<number> {
  for (let batch = 1; batch <= count; batch++) {
    log.push(`read ${batch}`);
    await turns();
    yield batch;
  }
}

describe('Statements of one connection', () => {
  it('never overlap, in the order in which they were asked for', async () => {
    const connection = new ConnectionTurns();
    const [first, second] = [held('first'), held('second')];
    const answers = Promise.all([connection.run(first.statement), connection.run(second.statement)]);
    await turns();
    expect([first.state.hasBegun, second.state.hasBegun]).toEqual([true, false]);
    second.end();
    await turns();
    expect(second.state.hasBegun).toBe(false);
    first.end();
    expect(await answers).toEqual(['first', 'second']);
  });

  it('read the next batch while the caller works, and let one write wait', async () => {
    const connection = new ConnectionTurns();
    const log: string[] = [];
    for await (const batch of connection.prefetch(batchesOf(log, 3))) {
      for (let turn = 0; turn < 5; turn++) await turns();
      log.push(`work ${batch}`);
      await connection.write(async () => {
        await turns();
        log.push(`write ${batch}`);
      });
    }
    await connection.end();
    expect(log).toEqual([
      ...['read 1', 'read 2', 'work 1', 'write 1', 'read 3', 'work 2', 'write 2', 'work 3', 'write 3'],
    ]);
  });

  it('holds the caller back while two writes are not done', async () => {
    const connection = new ConnectionTurns();
    const [first, second] = [held(undefined), held(undefined)];
    await connection.write(first.statement);
    let isTaken = false;
    const taken = connection.write(second.statement).then(() => (isTaken = true));
    await turns();
    expect(isTaken).toBe(false);
    first.end();
    await taken;
    second.end();
    await connection.end();
  });

  it('fail with the first failure, and begin nothing after it', async () => {
    const connection = new ConnectionTurns();
    const log: string[] = [];
    const batches = connection.prefetch(batchesOf(log, 9));
    await batches.next();
    const broken = held(undefined);
    await connection.write(() => broken.statement().then(() => Promise.reject(new Error('deadlock'))));
    broken.end();
    await connection.settle();
    await expect(connection.write(() => Promise.resolve(log.push('written')))).rejects.toThrow('deadlock');
    await expect(connection.run(() => Promise.resolve(log.push('asked')))).rejects.toThrow('deadlock');
    await expect(connection.end()).rejects.toThrow('deadlock');
    await batches.next();
    await expect(batches.next()).rejects.toThrow('deadlock');
    expect(log).toEqual(['read 1', 'read 2']);
  });
});
