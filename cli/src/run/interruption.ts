import { Failure } from '../failure.js';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** What Ctrl-C, or the end of the terminal, means at the moment. */
export class Interruption {
  private readonly controller = new AbortController();
  private handler: ((signal: NodeJS.Signals) => void) | undefined;
  private readonly listener = (signal: NodeJS.Signals): void => {
    this.isInterrupted = true;
    if (this.handler) this.handler(signal);
    else this.controller.abort(interrupted());
  };
  private readonly onTrigger = (): void => this.listener('SIGINT');
  isInterrupted = false;

  /** With a signal of its own the process's are somebody else's business. */
  constructor(private readonly trigger?: AbortSignal) {
    if (trigger) trigger.addEventListener('abort', this.onTrigger, { once: true });
    else for (const signal of SIGNALS) process.on(signal, this.listener);
    if (trigger?.aborted) this.onTrigger();
  }

  /** Stops requests and waiting; not while somebody else deals with signals. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** While `work` goes on, signals go to the handler and stop nothing else. */
  async dealtWithBy<T>(handler: (signal: NodeJS.Signals) => void, work: () => Promise<T>): Promise<T> {
    this.handler = handler;
    try {
      return await work();
    } finally {
      this.handler = undefined;
    }
  }

  throwIfInterrupted(): void {
    if (this.isInterrupted) throw interrupted();
  }

  end(): void {
    this.trigger?.removeEventListener('abort', this.onTrigger);
    for (const signal of SIGNALS) process.off(signal, this.listener);
  }
}

export function interrupted(): Failure {
  return new Failure('INTERRUPTED', 'the run was interrupted');
}
