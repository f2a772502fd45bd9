import { spawn } from 'node:child_process';
import { StringDecoder } from 'node:string_decoder';
import { ProcessGroup } from '../run/process-group.js';
import { KeptOutput } from './kept-output.js';

export interface ProcessOutcome {
  code: number;
  stdout: string;
  stderr: string;
  /** both as they came */
  text: string;
  /** what the texts are made of when they are asked for */
  output: KeptOutput;
}

export interface ProcessOptions {
  cwd: string;
  env: Readonly<Record<string, string>>;
  /** what it prints, as it comes; the program waits until what is answered has ended */
  show?: (text: string) => Promise<void> | undefined;
  /** stops it: SIGINT, and SIGKILL after `killAfterMs` (60 seconds by default) */
  signal?: AbortSignal;
  killAfterMs?: number | undefined;
}

export const KILL_AFTER_MS = 60_000;
/** Time after SIGKILL to read what is left in the pipes; a process that left the group may hold them open for ever. */
const DRAIN_MS = 1_000;
/** Exit code of a program that is not started, because the run was stopped before. */
const NOT_STARTED = 130;
/** Output that is kept of one process; what is shown is not bounded. */
export const MAX_KEPT_CHARACTERS = 8_000_000;

/** Runs a program without a shell. It never throws: a program that is not there ends with 127, one that is stopped before it begins with 130. */
export function runProcess(
  command: string,
  args: readonly string[],
  options: ProcessOptions,
): Promise<ProcessOutcome> {
  const { cwd, env, show, signal, killAfterMs = KILL_AFTER_MS } = options;
  return new Promise((resolve) => {
    const kept = new KeptOutput(MAX_KEPT_CHARACTERS);
    const keep = (from: 'stdout' | 'stderr') => (text: string) => {
      kept.add(from, text);
      return show?.(text);
    };
    if (signal?.aborted) {
      void keep('stderr')(`${command} was not started: the run was stopped\n`);
      resolve(outcomeOf(NOT_STARTED, kept));
      return;
    }
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    for (const name of ['stdout', 'stderr'] as const) {
      const decoder = new StringDecoder('utf8');
      const take = keep(name);
      child[name].on('data', (chunk: Buffer) => {
        const room = take(decoder.write(chunk));
        if (!room) return;
        child[name].pause();
        void room.finally(() => child[name].resume());
      });
    }
    const group = new ProcessGroup(child.pid);
    let draining: NodeJS.Timeout | undefined;
    const drain = (): void => {
      draining = setTimeout(() => [child.stdout, child.stderr].forEach((pipe) => pipe.destroy()), DRAIN_MS);
    };
    const stop = (): void => group.stop(killAfterMs, drain);
    signal?.addEventListener('abort', stop, { once: true });
    const finish = (code: number): void => {
      group.forget();
      clearTimeout(draining);
      signal?.removeEventListener('abort', stop);
      resolve(outcomeOf(code, kept));
    };
    child.once('error', (error: Error) => {
      void keep('stderr')(`${command} cannot be run: ${error.message}\n`);
      finish(127);
    });
    child.once('close', (code) => finish(code ?? 1));
  });
}

function outcomeOf(code: number, kept: KeptOutput): ProcessOutcome {
  return {
    code,
    output: kept,
    get stdout() {
      return kept.of('stdout');
    },
    get stderr() {
      return kept.of('stderr');
    },
    get text() {
      return kept.both;
    },
  };
}
