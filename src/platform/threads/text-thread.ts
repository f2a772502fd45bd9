import { parentPort } from 'node:worker_threads';
import type { ThreadWork } from './thread-work.js';

export interface TextJob {
  id: number;
  file: string;
  name: string;
  input: unknown;
}

/** `failure` is the name of the error; its message can quote the input. */
export type TextAnswer = { id: number; output: unknown } | { id: number; failure: string };

/** Entry of the thread that reads large texts: one answer for each job. */
parentPort?.on('message', (job: TextJob) => {
  void answerTo(job).then((answer) => {
    parentPort?.postMessage(answer);
    parentPort?.postMessage('next');
  });
});

async function answerTo({ id, file, name, input }: TextJob): Promise<TextAnswer> {
  try {
    const exported = (await import(file)) as Record<string, ThreadWork<unknown, unknown> | undefined>;
    return { id, output: exported[name]?.perform(input) };
  } catch (error) {
    return { id, failure: error instanceof Error ? error.name : typeof error };
  }
}
