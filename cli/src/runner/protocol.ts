import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Failure, ServiceFailure } from '../failure.js';

export const PROTOCOL = 1;

export interface Engine {
  name: 'terraform' | 'tofu';
  version?: string;
  command?: string;
}
export interface StepSpec {
  type: string;
  extra_args?: string[];
  [key: string]: unknown;
}
export interface WorkDirspace {
  dir: string;
  workspace: string;
  tags: string[];
  engine: Engine;
  mode: 'delta' | 'full';
  has_plan: boolean;
  /** a state of the service */
  state?: { state_id: string; group_id: string; workspace: string; tenant_id: string };
  /** why the state may not be used */
  refusal?: string;
  /** which of the run's `dependency_lists` must be done first */
  depends_on?: number;
  steps: StepSpec[];
}
/** What the service tells a runner of its run. */
export interface Work {
  /** version that the service speaks */
  protocol: number;
  id: string;
  run_type: 'plan' | 'apply' | 'index' | 'build-config';
  kind: 'pull_request' | 'drift' | 'index';
  repository: { provider: string; owner: string; name: string; clone_url: string; default_branch: string };
  checkout: {
    strategy: 'merge' | 'head';
    base_ref: string;
    base_sha: string;
    head_ref: string;
    head_sha: string;
    username: string;
    password: string;
  };
  dirspaces: WorkDirspace[];
  /** positions of dirspaces; absent from services that order nothing within a run */
  dependency_lists?: number[][];
  /** of a run of type `build-config` */
  config_builder?: { cmd: string[] };
  hooks: { pre: StepSpec[]; post: StepSpec[] };
  /** opens the states of the run and nothing else; absent without states */
  state_token?: string;
  timeout_minutes: number;
  parallel: number;
}
export type Scope =
  | { type: 'dirspace'; dir: string; workspace: string }
  | { type: 'run'; flow: string; subflow: string };
export interface StepReport {
  seq: number;
  scope: Scope;
  step: string;
  state: 'success' | 'failure';
  ignore_errors?: boolean;
  visible_on?: string;
  format?: unknown;
  payload: Record<string, unknown>;
}
export interface LogChunk {
  seq: number;
  dir?: string;
  workspace?: string;
  text: string;
}
export interface DirspaceResult {
  dir: string;
  workspace: string;
  success: boolean;
  has_changes?: boolean;
  summary?: { add: number; change: number; destroy: number };
  transaction_id?: string;
  conflicts_with?: string[];
}
export interface GateReport {
  token: string;
  name?: string;
  all_of?: string[];
  any_of?: string[];
  any_of_count?: number;
  add_reviewers?: string[];
}
export interface Results {
  success: boolean;
  dirspaces: DirspaceResult[];
  gates?: GateReport[];
}

/** The run has ended, or another runner has it: this one stops. */
export class RunIsOver extends Failure {}

const RETRIES = 8;
const FIRST_PAUSE_MS = 250;
const REQUEST_TIMEOUT_MS = 60_000;
const RETRIED = new Set([408, 425, 429, 500, 502, 503, 504]);

/** An answer with its whole body: one that is cut is no answer, and is asked for again. */
interface Answer {
  status: number;
  body: Buffer;
  /** of the body, as RFC 9530 spells it */
  digest: string | undefined;
}

interface RequestOptions {
  body?: unknown;
  /** a body that is JSON already */
  json?: Buffer<ArrayBuffer>;
  bytes?: Buffer;
  timeoutMs?: number;
  /** gives the request up */
  stopping?: AbortSignal;
}

/** Calls below `/api/v1/runner`; every one of them is good to be sent again. */
export class RunnerCalls {
  constructor(
    private readonly base: string,
    private token: string,
  ) {}

  async initiate(request: {
    run_id: string;
    nonce: string;
    version: string;
    name: string;
    hasCheckout: boolean;
  }): Promise<{
    workManifestId: string;
    heartbeatSeconds: number;
    token: string;
  }> {
    const { run_id, nonce, version, name, hasCheckout } = request;
    const runner = { name, version, protocol: PROTOCOL, ...(hasCheckout ? { has_checkout: true } : {}) };
    const answer = await this.json<{ token: string; work_manifest_id: string; heartbeat_seconds: number }>(
      'POST',
      'initiate',
      { body: { run_id, nonce, runner } },
    );
    this.token = answer.token;
    return {
      workManifestId: answer.work_manifest_id,
      heartbeatSeconds: answer.heartbeat_seconds,
      token: answer.token,
    };
  }

  /** Refuses a run that is described in another version of the protocol. */
  async work(): Promise<Work> {
    const work = await this.json<Work>('GET', 'work');
    if (work.protocol !== PROTOCOL)
      throw new Failure(
        'RUNNER_TOO_OLD',
        `the service speaks version ${work.protocol} of the runner protocol, this client version ${PROTOCOL}; update the client`,
      );
    return work;
  }

  async heartbeat(): Promise<void> {
    await this.json('POST', 'heartbeat', { body: {} });
  }

  /** `{steps: StepReport[]}` */
  async steps(json: Buffer<ArrayBuffer>): Promise<void> {
    await this.json('POST', 'steps', { json });
  }

  /** `{chunks: LogChunk[]}` */
  async logs(json: Buffer<ArrayBuffer>): Promise<void> {
    await this.json('POST', 'logs', { json });
  }

  async results(results: Results): Promise<void> {
    await this.json('POST', 'results', { body: results });
  }

  async storePlan(n: number, bytes: Buffer): Promise<void> {
    for (let attempt = 0; ; attempt++)
      try {
        await this.send('PUT', `dirspaces/${n}/plan`, { bytes });
        return;
      } catch (error) {
        // Something on the way, such as a proxy, sent it twice, and what had failed arrived last.
        if (!(error instanceof ServiceFailure) || error.id !== 'PLAN_FILE_REPLACED' || attempt >= RETRIES)
          throw error;
        await delay(FIRST_PAUSE_MS * 2 ** attempt);
      }
  }

  /** Refuses bytes that are not the ones which were planned, and those of which nobody says so. */
  async readPlan(n: number): Promise<Buffer> {
    const { body, digest } = await this.send('GET', `dirspaces/${n}/plan`, {});
    if (digest === undefined)
      throw new Failure(
        'PLAN_CHECKSUM',
        'the plan file came without its checksum; let proxies between the runner and the service pass on the header Repr-Digest, then plan again',
      );
    const actual = `sha-256=:${createHash('sha256').update(body).digest('base64')}:`;
    if (digest !== actual)
      throw new Failure('PLAN_CHECKSUM', 'the plan file does not have its checksum; plan again');
    return body;
  }

  /** Undefined when there is nothing to do. A claim that is given up takes nothing: the service offers the run again. */
  async claim(
    waitSeconds: number,
    runner: { version: string; name: string },
    stopping: AbortSignal,
  ): Promise<{ work_token: string; api_base_url: string } | undefined> {
    const { status, body } = await this.send('POST', 'claim', {
      body: { wait_seconds: waitSeconds, runner: { ...runner, protocol: PROTOCOL } },
      timeoutMs: REQUEST_TIMEOUT_MS + waitSeconds * 1000,
      stopping,
    });
    if (status === 204) return undefined;
    return JSON.parse(body.toString()) as { work_token: string; api_base_url: string };
  }

  private async json<T>(method: string, path: string, options: RequestOptions = {}): Promise<T> {
    return JSON.parse((await this.send(method, path, options)).body.toString()) as T;
  }

  private async send(method: string, path: string, options: RequestOptions): Promise<Answer> {
    for (let attempt = 0; ; attempt++) {
      const answer = await this.once(method, path, options);
      if (!(answer instanceof Error) && !RETRIED.has(answer.status)) return this.checked(answer);
      if (attempt >= RETRIES || options.stopping?.aborted) {
        if (!(answer instanceof Error)) return this.checked(answer);
        throw new Failure('UNREACHABLE', `the service cannot be reached: ${answer.message}`);
      }
      await delay(FIRST_PAUSE_MS * 2 ** attempt, undefined, { signal: options.stopping }).catch(
        () => undefined,
      );
    }
  }

  private async once(method: string, path: string, options: RequestOptions): Promise<Answer | Error> {
    const { body, bytes, timeoutMs = REQUEST_TIMEOUT_MS, stopping } = options;
    const json = options.json ?? (body === undefined ? undefined : JSON.stringify(body));
    const ending = endOf(timeoutMs, stopping);
    try {
      const response = await fetch(new URL(`/api/v1/runner/${path}`, this.base), {
        method,
        redirect: 'error',
        signal: ending.signal,
        headers: {
          authorization: `Bearer ${this.token}`,
          ...(bytes ? { 'content-type': 'application/octet-stream' } : {}),
          ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(bytes ? { body: new Uint8Array(bytes) } : json === undefined ? {} : { body: json }),
      });
      const parts: Uint8Array[] = [];
      if (response.status !== 204)
        for await (const part of (response.body ?? []) as AsyncIterable<Uint8Array>) parts.push(part);
      const digest = response.headers.get('repr-digest') ?? undefined;
      return { status: response.status, body: Buffer.concat(parts), digest };
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    } finally {
      ending.forget();
    }
  }

  private checked(answer: Answer): Answer {
    const { status, body } = answer;
    if (status >= 200 && status < 300) return answer;
    const { id, data } = refusalOf(body);
    if (id === 'RUN_ENDED' || id === 'RUN_ALREADY_STARTED' || status === 401)
      throw new RunIsOver(id ?? 'UNAUTHENTICATED', data ?? 'the run has ended');
    throw new ServiceFailure(status, id ?? 'UNEXPECTED', data ?? `the service answered ${status}`);
  }
}

/** When a request is given up: after some time, or when the signal says so. Signals live longer than requests. */
function endOf(
  timeoutMs: number,
  stopping: AbortSignal | undefined,
): { signal: AbortSignal; forget: () => void } {
  const controller = new AbortController();
  const stop = (): void => controller.abort(new Error('given up'));
  const timer = setTimeout(() => controller.abort(new Error('no answer in time')), timeoutMs);
  stopping?.addEventListener('abort', stop);
  if (stopping?.aborted) stop();
  return {
    signal: controller.signal,
    forget: () => {
      clearTimeout(timer);
      stopping?.removeEventListener('abort', stop);
    },
  };
}

/** Empty where somebody else answered, such as a proxy. */
function refusalOf(body: Buffer): { id?: string; data?: string } {
  try {
    return (JSON.parse(body.toString()) ?? {}) as { id?: string; data?: string };
  } catch {
    return {};
  }
}
