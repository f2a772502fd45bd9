import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { Context } from '../context/context.js';
import { CredentialsStore } from '../context/credentials.store.js';
import { Failure, ServiceFailure } from '../failure.js';
import { Output } from '../output/output.js';
import { Calls, insistently } from '../run/calls.js';
import type { WorkDirspace } from './protocol.js';
import type { RunState } from './run-state.js';

/** A dirspace whose state lies in this service. */
export type StateDirspace = WorkDirspace & { state: NonNullable<WorkDirspace['state']> };

/** The client as the run: its token is the key, and what the client says goes into the run's log. */
export function contextOf(
  { work, apiBase, token }: RunState,
  { dir, workspace, state }: StateDirspace,
  { env, say }: { env: Readonly<Record<string, string>>; say: (text: string) => void },
): Context {
  const sink = (): Writable =>
    new Writable({
      decodeStrings: false,
      write: (chunk: string | Buffer, _encoding, done) => {
        say(chunk.toString());
        done();
      },
    });
  const streams = { env, stdin: process.stdin, stdout: sink(), stderr: sink() };
  const settings = {
    address: apiBase.replace(/\/+$/, ''),
    apiKey: token,
    tenant: state.tenant_id,
    workspace: undefined,
    group: undefined,
    // The service adds the others.
    tags: { dir, workspace, work_manifest_id: work.id },
  };
  return new Context(settings, new Output(streams, true), new CredentialsStore(env), streams);
}

/** Where Terraform's `http` backend finds the state, with the token that its providers may read. */
export function backendEnvironment(
  { work, apiBase, token }: Pick<RunState, 'work' | 'apiBase' | 'token'>,
  { group_id, workspace }: StateDirspace['state'],
): Record<string, string> {
  const path = `/api/v1/states/backend/${group_id}/${encodeURIComponent(workspace)}`;
  return {
    TF_HTTP_ADDRESS: `${apiBase.replace(/\/+$/, '')}${path}`,
    TF_HTTP_USERNAME: `run-${work.id}`,
    TF_HTTP_PASSWORD: work.state_token ?? token,
  };
}

/** A state that Terraform keeps in the checkout would be lost with it. */
export function requireHttpBackend(dataDirectory: string): void {
  const file = join(dataDirectory, 'terraform.tfstate');
  const { backend } = existsSync(file)
    ? (JSON.parse(readFileSync(file, 'utf8')) as { backend?: { type?: string } })
    : { backend: undefined };
  if (backend?.type !== 'http')
    throw new Failure(
      'BACKEND_MISSING',
      'a directory with a state and `mode: full` needs `terraform { backend "http" {} }`',
    );
}

/** A transaction that the writes of one apply land in. */
export class ApplySession {
  private constructor(
    private readonly calls: Calls,
    readonly txId: string,
    readonly token: string,
  ) {}

  static async begin(context: Context): Promise<ApplySession> {
    const calls = new Calls(context.api());
    const body = { tenant_id: await context.tenantId(), tags: context.settings.tags };
    // One whose answer is lost stays empty, and ends by itself.
    const { token, tx } = await insistently(() =>
      calls.post<{ token: string; tx: { id: string } }>('/api/v1/tx/session/create', body),
    );
    return new ApplySession(calls, tx.id, token);
  }

  /** What was written is committed, even after a failure: the infrastructure has changed. */
  async end({ hasSucceeded }: { hasSucceeded: boolean }): Promise<void> {
    if (!hasSucceeded && (await this.abort())) return;
    await this.endBy('commit');
  }

  /** It can be ended in one way only: that it has ended says that an earlier attempt arrived. */
  private endBy(way: 'commit' | 'abort'): Promise<unknown> {
    return insistently(
      () => this.calls.post(`/api/v1/tx/${this.txId}/${way}`),
      ({ id }) => (id === 'TX_NOT_ACTIVE' ? true : undefined),
    );
  }

  /** False when it has writes. */
  private async abort(): Promise<boolean> {
    try {
      await this.endBy('abort');
      return true;
    } catch (error) {
      if (error instanceof ServiceFailure && error.id === 'TX_HAS_WRITES') return false;
      throw error;
    }
  }
}

/** A state that could not be stored outlives the checkout: it moves to where the runner was started. */
export function keepUndeliveredStates(cwd: string, name: string): string[] {
  const kept: string[] = [];
  for (const file of ['errored.tfstate', 'errored.infrastate.json']) {
    if (!existsSync(join(cwd, file))) continue;
    const target = join(process.cwd(), `${name}-${file}`);
    // Often another file system, where a rename would fail and the state be lost.
    writeFileSync(target, readFileSync(join(cwd, file)), { mode: 0o600 });
    rmSync(join(cwd, file));
    kept.push(target);
  }
  return kept;
}
