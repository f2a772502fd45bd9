import { parentPort } from 'node:worker_threads';
import { performReading, type ReadingKind, type ReadingTasks } from './reading-task.rules.js';

export interface ReadingJob<K extends ReadingKind = ReadingKind> {
  id: number;
  kind: K;
  input: ReadingTasks[K]['input'];
}

/** `failure` names what was thrown; its text can quote the input. */
export type ReadingAnswer = { id: number; output: unknown } | { id: number; failure: string };

/** Entry of the thread that reads large texts: an answer for each job. */
parentPort?.on('message', (job: ReadingJob) => {
  parentPort?.postMessage(answerTo(job));
  parentPort?.postMessage('next');
});

function answerTo({ id, kind, input }: ReadingJob): ReadingAnswer {
  try {
    return { id, output: performReading(kind, input) };
  } catch (error) {
    return { id, failure: error instanceof Error ? error.name : typeof error };
  }
}
