/**
 * Statements of one connection, one after the other, while the caller computes. A write is not waited for before the next
 * one; its failure is thrown by what is asked next, at the latest by `end`.
 */
export class ConnectionTurns {
  private last: Promise<unknown> = Promise.resolve();
  private written: Promise<unknown> = Promise.resolve();
  private failure: { error: unknown } | undefined;

  /** Answers what the statement answers, once those before it are done. After a failure everything fails with it. */
  run<T>(statement: () => Promise<T>): Promise<T> {
    const mine = this.last.then(() => {
      // PostgreSQL would only say that the transaction is aborted.
      if (this.failure !== undefined) throw this.failure.error;
      return statement();
    });
    this.last = mine.catch((error: unknown) => {
      this.failure ??= { error };
    });
    return mine;
  }

  /** Waits for the write before, so that at most one is waiting or under way. */
  async write(statement: () => Promise<unknown>): Promise<void> {
    await this.written;
    this.written = this.run(statement);
    // Thrown where it is awaited.
    this.written.catch(() => undefined);
  }

  /** Batches of rows, the next one asked for while the caller works on the one before. */
  async *prefetch<T>(batches: AsyncGenerator<T>): AsyncGenerator<T> {
    for (let asked = this.next(batches); ;) {
      const answer = await asked;
      if (answer.done === true) return;
      asked = this.next(batches);
      yield answer.value;
    }
  }

  /** Throws what a write has thrown. */
  async end(): Promise<void> {
    await this.settle();
    await this.written;
  }

  /** Once nothing uses the connection any more, whatever failed. */
  async settle(): Promise<void> {
    await this.last;
  }

  private next<T>(batches: AsyncGenerator<T>): Promise<IteratorResult<T, unknown>> {
    const asked = this.run(() => batches.next());
    // Thrown where it is awaited: the caller may fail first.
    asked.catch(() => undefined);
    return asked;
  }
}
