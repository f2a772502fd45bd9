import { posix } from 'node:path';
import { type Answer, send, type TestState } from './backend.js';
import type { TerraformWorkspace } from './terraform.js';
import type { StateDocument, TransactionClient } from './transactions.js';

export interface Bundle {
  hcl: { file: string; module: string; data: Record<string, unknown> }[];
  state: StateDocument & { check_results: unknown };
  files: { filepath: string; module: string; content: string; content_hash: string; mode: string }[];
  cursor?: string;
}

/** An entry of a log that sets a block. */
export function block(data: unknown, module = '', file = 'main.tf'): LoggedEntry {
  return { action: 'hcl_set', object_type: 'hcl', data: { file, module, data } };
}

export function gone(nodeId: string): LoggedEntry {
  return { action: 'hcl_delete', object_type: 'hcl', data: { node_id: nodeId } };
}

export interface LoggedEntry {
  action: string;
  object_type: string;
  data: unknown;
}

export const REFRESH: LoggedEntry = { action: 'refresh', object_type: 'refresh', data: {} };

/** What a block is called, for comparing. */
export function nameOf({ module, data }: { module: string; data: Record<string, unknown> }): string {
  const [kind = '', labelled] = Object.entries(data)[0] ?? [];
  const names = [];
  let value: unknown = labelled;
  const depth = { resource: 2, data: 2, terraform: 0, moved: 0, removed: 0, import: 0 }[kind] ?? 1;
  for (let i = 0; i < depth && typeof value === 'object' && value !== null; i++) {
    const [name = '', inner] = Object.entries(value)[0] ?? [];
    names.push(name);
    value = inner;
  }
  const local = [...(kind === 'resource' ? [] : [kind]), ...names].join('.');
  return module === '' ? local : `${module}:${local}`;
}

/** The side of a runner. */
export class Runner {
  constructor(
    readonly client: TransactionClient,
    readonly token: string,
    readonly task: string,
    readonly txId: string,
  ) {}

  /** A transaction that says so much of a state, while it is being previewed. */
  static async of(
    client: TransactionClient,
    state: TestState,
    entries: readonly LoggedEntry[],
  ): Promise<Runner> {
    const txId = await logged(client, state, entries);
    const { token, task } = await client.begin(txId, 'preview');
    return new Runner(client, token, task, txId);
  }

  call(path: string, body: unknown = {}, method = 'POST', token = this.token): Promise<Answer> {
    return send(`${this.client.backend.url}/api/v1/actuator/${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(method === 'GET' ? {} : { body: JSON.stringify(body) }),
    });
  }

  async generate(body: unknown = {}): Promise<void> {
    const answer = await this.call('bundle/generate', body);
    if (answer.status !== 200) throw new Error(`${answer.status} ${answer.bytes.toString()}`);
    const { id } = answer.json() as { id: string };
    expect(await this.client.ended(id)).toBe('completed');
  }

  async cursors(limit: number): Promise<{ limit: number; cursor?: string }[]> {
    const answer = await this.call('bundle/cursors', { limit });
    expect(answer.status).toBe(200);
    return (answer.json() as { pages: { limit: number; cursor?: string }[] }).pages;
  }

  async page(body: unknown): Promise<Bundle> {
    const answer = await this.call('bundle', body);
    if (answer.status !== 200) throw new Error(`${answer.status} ${answer.bytes.toString()}`);
    return answer.json() as Bundle;
  }

  /** All pages, asked for at the same time. */
  async bundle(limit = 1000): Promise<Bundle> {
    await this.generate();
    return joined(await Promise.all((await this.cursors(limit)).map((page) => this.page(page))));
  }
}

export async function logged(
  client: TransactionClient,
  state: TestState,
  entries: readonly LoggedEntry[],
): Promise<string> {
  const txId = await client.create();
  for (let at = 0; at < entries.length; at += 5_000)
    await client.append(
      txId,
      entries.slice(at, at + 5_000).map((entry) => ({ ...entry, state_id: state.id })),
    );
  return txId;
}

/** Makes entries the stored configuration of a state. */
export async function applied(
  client: TransactionClient,
  state: TestState,
  entries: readonly LoggedEntry[],
): Promise<void> {
  expect(await client.apply(await logged(client, state, entries))).toEqual({
    status: 200,
    task: 'completed',
  });
}

export function joined([first, ...others]: readonly Bundle[]): Bundle {
  if (!first) throw new Error('there is no page');
  const pages = [first, ...others];
  return {
    hcl: pages.flatMap((page) => page.hcl),
    files: pages.flatMap((page) => page.files),
    state: {
      ...first.state,
      outputs: Object.assign({}, ...pages.map((page) => page.state.outputs)) as StateDocument['outputs'],
      resources: pages.flatMap((page) => page.state.resources),
    },
  };
}

/** Writes a bundle where Terraform can use it: every module call in a directory of its own. */
export function writeBundle(workspace: TerraformWorkspace, { hcl, files, state }: Bundle): void {
  const directory = (module: string) =>
    module === '' ? '.' : posix.join('.modules', module.replaceAll('.', '-'));
  const written: Record<string, string> = {};
  hcl.forEach(({ module, data }, i) => {
    const { module: call } = data as { module?: Record<string, Record<string, unknown>> };
    const [name] = Object.keys(call ?? {});
    const path = module === '' ? `module.${name ?? ''}` : `${module}.module.${name ?? ''}`;
    const source = posix.relative(directory(module), directory(path));
    const own =
      call && name !== undefined
        ? { module: { [name]: { ...call[name], source: source.startsWith('../') ? source : `./${source}` } } }
        : data;
    written[posix.join(directory(module), `b${i}.tf.json`)] = JSON.stringify(own);
  });
  for (const { filepath, content } of files) written[filepath] = Buffer.from(content, 'base64').toString();
  written['terraform.tfstate'] = JSON.stringify(state);
  workspace.write(written);
}
