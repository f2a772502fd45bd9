import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Failure, ServiceFailure } from '../failure.js';
import { actuatorCalls } from './actuator-calls.js';
import type { RunContext } from './run-context.js';
import { objectText, sendResults } from './results.js';
import { completed } from './task-polling.js';
import { keepUndelivered } from './undelivered.js';

/** What is written down while terraform applies, for the case that this process does not live to report it. */
interface RunNote {
  service: string;
  tx: string;
  token: string;
  home: string;
  root: string;
  pid: number;
  terraform: number;
}

const NOTE = 'run.json';
const PAUSE_MS = 200;
const DIRECTORY = /^infrastate-[A-Za-z0-9]{6}$/;

/** There at once and whole: other runs read it at any moment. */
export function noteRun(directory: string, note: Omit<RunNote, 'pid'>): void {
  const draft = join(directory, `${NOTE}.draft`);
  writeFileSync(draft, JSON.stringify({ ...note, pid: process.pid }), { mode: 0o600 });
  renameSync(draft, join(directory, NOTE));
}

/** Reports what runs reached whose client was killed while terraform applied; waits for terraform where it still does. */
export async function reportLostRuns(run: RunContext, place = tmpdir()): Promise<void> {
  for (const { directory, note } of lostRuns(run, place)) {
    const { output } = run.context;
    output.printNote(`transaction ${note.tx} was applied by a client that was killed; reporting its result`);
    while (isAlive(note.terraform)) {
      run.interruption.throwIfInterrupted();
      await delay(PAUSE_MS);
    }
    await report(run, note);
    rmSync(directory, { recursive: true, force: true });
  }
}

async function report(run: RunContext, { tx, token, root, home }: RunNote): Promise<void> {
  const state = unlessGone(() => readFileSync(join(root, 'terraform.tfstate'), 'utf8'));
  // Another run has reported it meanwhile.
  if (state === undefined) return;
  const reason = { code: 'exec_failed', message: 'the client that applied it was killed' };
  const request = objectText({ kind: '"commit_failed"', failure: JSON.stringify({ reason }), state });
  try {
    await completed(
      run.calls,
      await sendResults(actuatorCalls(run.context, token), request),
      'storing what was applied',
    );
  } catch (error) {
    if (!isRefusal(error)) throw error;
    keepUndelivered(run, tx, state, home);
  }
}

/** The transaction ended meanwhile, or the report could not be applied: asking again does not help. */
function isRefusal(error: unknown): boolean {
  if (error instanceof ServiceFailure) return error.status < 500;
  return error instanceof Failure && ['TASK_FAILED', 'TASK_ABORTED'].includes(error.id);
}

function lostRuns({ context }: RunContext, place: string): { directory: string; note: RunNote }[] {
  return readdirSync(place)
    .filter((name) => DIRECTORY.test(name))
    .flatMap((name) => {
      const directory = join(place, name);
      const note = unlessGone(() => noteIn(directory));
      return note && note.service === context.address && !isAlive(note.pid) ? [{ directory, note }] : [];
    });
}

function noteIn(directory: string): RunNote | undefined {
  if (!isMine(directory)) return undefined;
  const text = readFileSync(join(directory, NOTE), 'utf8');
  try {
    return JSON.parse(text) as RunNote;
  } catch {
    // Cut off by a full disk, or half written by an older client.
    return undefined;
  }
}

/** Undefined when it is no longer there: other runs on this machine remove their directories at any moment. */
function unlessGone<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function isMine(directory: string): boolean {
  const { uid, mode } = statSync(directory);
  return uid === process.getuid?.() && (mode & 0o077) === 0;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
