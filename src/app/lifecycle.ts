import { Logger } from '@nestjs/common';
import { ConfigurationError } from '../platform/config/index.js';
import { describeFailure } from '../platform/errors/index.js';
import { withDeadline } from '../platform/time/deadline.js';

type Step = () => Promise<void> | void;

/** What a process has started and how to end it: the last thing started is the first one stopped. */
export class Lifecycle {
  private readonly steps: Step[] = [];
  private readonly controller = new AbortController();

  /** Aborted as soon as the process begins to stop. */
  get stopping(): AbortSignal {
    return this.controller.signal;
  }

  /** `limitMs`: the next step comes after this long at the latest, whatever this one waits for. */
  onStop(step: Step, limitMs?: number): void {
    this.steps.push(limitMs === undefined ? step : () => withinTime(step, limitMs));
  }

  async stop(): Promise<void> {
    this.controller.abort();
    for (let step = this.steps.pop(); step; step = this.steps.pop()) await step();
  }
}

async function withinTime(step: Step, limitMs: number): Promise<void> {
  await withDeadline(Promise.resolve(step()), limitMs, () =>
    new Logger('Process').warn({ msg: 'abandoning running work', afterMs: limitMs }),
  );
}

/** A refusal to start whose message is for the person at the terminal: one line, no stack. */
export class StartError extends Error {}

/** Runs a process until SIGTERM, SIGINT or SIGHUP, then stops it and exits 0; a failed start exits 1. */
export function runProcess(start: (lifecycle: Lifecycle) => Promise<void>): void {
  const lifecycle = new Lifecycle();
  const end = async (code: number): Promise<never> => {
    try {
      await lifecycle.stop();
    } catch (error) {
      process.stderr.write(`${lineOf(error)}\n`);
      process.exit(1);
    }
    process.exit(code);
  };
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => {
      // A second signal means that the person does not want to wait for requests in flight.
      if (lifecycle.stopping.aborted) process.exit(1);
      void end(0);
    });
  }
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error: unknown) => {
      new Logger('Process').fatal({ msg: 'the process ends', event, ...describeFailure(error) });
      process.exit(1);
    });
  }
  start(lifecycle).catch((error: unknown) => {
    if (lifecycle.stopping.aborted) return;
    process.stderr.write(`${lineOf(error)}\n`);
    void end(1);
  });
}

function lineOf(error: unknown): string {
  if (error instanceof ConfigurationError || error instanceof StartError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
