export interface JobOptions {
  /** jobs of one queue share its workers; by default a job has a queue of its own name */
  queue?: string;
  /** tries in all, with exponential pauses between them */
  attempts?: number;
  /** first pause between two tries */
  backoffMs?: number;
  /** how many of the queue's jobs one process works on at a time; the largest of the queue's jobs counts */
  concurrency?: number;
  /** runs it again and again with an empty payload, once for the whole installation */
  everyMs?: number;
}

const defined = new Map<string, Job>();

/** A kind of work that is slow or may fail. Its payload is ids only: the rows they name are the truth. */
export class Job<Payload extends object = object> {
  /** Never set: it ties the payload's type to the job. */
  declare readonly payload: Payload;
  readonly queue: string;
  readonly attempts: number;
  readonly backoffMs: number;
  readonly concurrency: number;
  readonly everyMs: number | undefined;

  constructor(
    readonly name: string,
    options: JobOptions,
  ) {
    this.queue = options.queue ?? name;
    this.attempts = options.attempts ?? 3;
    this.backoffMs = options.backoffMs ?? 1_000;
    this.concurrency = options.concurrency ?? 5;
    this.everyMs = options.everyMs;
  }
}

/** Declares a job; names are unique over the service, and each needs exactly one handler or the start fails. */
export function defineJob<Payload extends object>(name: string, options: JobOptions = {}): Job<Payload> {
  if (defined.has(name)) throw new Error(`job ${name} is defined twice`);
  if (!/^[a-z][a-z0-9-]*$/.test(options.queue ?? name))
    throw new Error(`job ${name}: a queue is named in kebab-case`);
  const job = new Job<Payload>(name, options);
  defined.set(name, job);
  return job;
}

/** Every job declared by the modules loaded so far. */
export function definedJobs(): ReadonlyMap<string, Job> {
  return defined;
}
