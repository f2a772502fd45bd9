import { isUtf8 } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { type KvRecordView, records } from '@infrastate/sdk';
import type { Command } from 'commander';
import type { Context } from '../context/context.js';
import { UsageFailure } from '../failure.js';
import { namespaceOf, type NamespaceOptions, routesOf } from '../kv/kv-routes.js';
import { table } from '../output/table.rules.js';
import { answer } from '../service/api-client.js';
import type { RegisterCommand } from './command.js';

interface RecordOptions extends NamespaceOptions {
  idx?: string;
  uncommitted?: boolean;
}
interface GetOptions extends RecordOptions {
  select?: string[];
}
interface CasOptions extends RecordOptions {
  version?: string;
}
interface ListOptions extends NamespaceOptions {
  uncommitted?: boolean;
  data?: boolean;
  limit?: string;
}

/** Keys hold no NUL character, so this is before all of them. */
const FIRST_KEY = '\u0001';

export const registerKv: RegisterCommand = (program, run) => {
  const kv = program
    .command('kv')
    .description('key-value store of a connected GitHub organization or GitLab group');
  const define = (name: string, description: string): Command =>
    kv
      .command(name)
      .description(description)
      .option('--vcs <provider>', 'github or gitlab (INFRASTATE_VCS; default github)')
      .option('--installation <id>', 'id of the installation or GitLab group (INFRASTATE_INSTALLATION)');
  const select = (value: string, earlier: readonly string[] = []): string[] => [...earlier, value];
  define('get', 'print the data of a record')
    .argument('<key>')
    .option('--idx <n>', 'index of the record (default 0)')
    .option('--uncommitted', 'read the record even if it is uncommitted')
    .option(
      '--select <name=path>',
      'print only the value at this path of the JSON data, as <name>; repeatable',
      select,
    )
    .action(run<GetOptions>(get));
  define('put', 'write a record, whether or not it exists')
    .argument('<key>')
    .argument('<file>', 'file with the data; - reads stdin')
    .option('--idx <n>', 'index of the record (default 0)')
    .option('--uncommitted', 'hide the record until it is committed')
    .action(run<RecordOptions>(put));
  define(
    'cas',
    'write a record only if it still has the version in --version; without --version, only if it does not exist',
  )
    .argument('<key>')
    .argument('<file>', 'file with the data; - reads stdin')
    .option('--version <n>', 'version that the record must have')
    .option('--idx <n>', 'index of the record (default 0)')
    .option('--uncommitted', 'hide the record until it is committed')
    .action(run<CasOptions>(cas));
  define('delete', 'delete the records of a key')
    .argument('<key>')
    .option('--idx <n>', 'delete only the record with this index (default: all records of the key)')
    .option('--version <n>', 'delete only records that have this version')
    .action(run<CasOptions>(remove));
  define('list', 'list records in byte order of their keys')
    .argument('[prefix]', 'only keys that begin with this text')
    .option('--uncommitted', 'list uncommitted records as well')
    .option('--data', 'include the data of each record; requires --json')
    .option('--limit <n>', 'maximum number of records')
    .action(run<ListOptions>(list));
  define('commit', 'commit records; either all or none')
    .argument('<keys...>')
    .action(run<NamespaceOptions>(commit));
};

async function get(context: Context, [key = '']: readonly string[], options: GetOptions): Promise<void> {
  const namespace = namespaceOf(context, options);
  const record = await answer(
    routesOf(namespace).get({
      client: namespace.client,
      path: { installationId: namespace.installationId, key },
      query: {
        ...idxOf(options),
        committed: options.uncommitted !== true,
        ...(options.select === undefined ? {} : { select: options.select }),
      },
    }),
  );
  if (context.output.json) await context.output.result(record, () => '');
  else await context.output.write(record.data ?? '');
}

async function put(
  context: Context,
  [key = '', file = '']: readonly string[],
  options: RecordOptions,
): Promise<void> {
  const namespace = namespaceOf(context, options);
  const record = await answer(
    routesOf(namespace).put({
      client: namespace.client,
      path: { installationId: namespace.installationId, key },
      body: await bodyOf(context, file, options),
    }),
  );
  await printWritten(context, record);
}

async function cas(
  context: Context,
  [key = '', file = '']: readonly string[],
  options: CasOptions,
): Promise<void> {
  const namespace = namespaceOf(context, options);
  const version = wholeNumber('--version', options.version);
  const record = await answer(
    routesOf(namespace).cas({
      client: namespace.client,
      path: { installationId: namespace.installationId, key },
      body: { ...(await bodyOf(context, file, options)), ...(version === undefined ? {} : { version }) },
    }),
  );
  await printWritten(context, record);
}

async function remove(context: Context, [key = '']: readonly string[], options: CasOptions): Promise<void> {
  const namespace = namespaceOf(context, options);
  const version = wholeNumber('--version', options.version);
  const removed = await answer(
    routesOf(namespace).remove({
      client: namespace.client,
      path: { installationId: namespace.installationId, key },
      query: { ...idxOf(options), ...(version === undefined ? {} : { version }) },
    }),
  );
  await context.output.result(removed, () => (removed.result ? 'deleted' : 'no such record'));
}

async function list(context: Context, [prefix]: readonly string[], options: ListOptions): Promise<void> {
  const namespace = namespaceOf(context, options);
  const limit = wholeNumber('--limit', options.limit) ?? Infinity;
  const found: KvRecordView[] = [];
  const all = records(namespace, prefix ?? FIRST_KEY, {
    prefix: prefix !== undefined,
    committed: options.uncommitted !== true,
    includeData: options.data === true,
  });
  if (limit > 0)
    for await (const record of all) {
      found.push(record);
      if (found.length >= limit) break;
    }
  await context.output.result({ records: found }, () =>
    table(
      ['key', 'idx', 'version', 'committed', 'size', 'written'],
      found.map(({ key, idx, version, committed, size, created_at }) =>
        [key, idx, version, committed, size, created_at].map(String),
      ),
      context.output.width,
    ),
  );
}

async function commit(context: Context, keys: readonly string[], options: NamespaceOptions): Promise<void> {
  const namespace = namespaceOf(context, options);
  const committed = await answer(
    routesOf(namespace).commit({
      client: namespace.client,
      path: { installationId: namespace.installationId },
      body: { keys: keys.map((key) => ({ key })) },
    }),
  );
  await context.output.result(committed, () => `${committed.keys.length} records committed`);
}

async function printWritten(context: Context, record: { key: string; version: number }): Promise<void> {
  await context.output.result(record, () => `${record.key} has version ${record.version}`);
}

async function bodyOf(
  context: Context,
  file: string,
  options: RecordOptions,
): Promise<{ data: string; idx?: number; committed: boolean }> {
  const bytes = file === '-' ? await buffer(context.streams.stdin) : await readFile(file);
  if (!isUtf8(bytes))
    throw new UsageFailure('the data must be UTF-8 text', 'encode other data, for example with base64');
  return { data: bytes.toString(), ...idxOf(options), committed: options.uncommitted !== true };
}

function idxOf({ idx }: { idx?: string }): { idx?: number } {
  const number = wholeNumber('--idx', idx);
  return number === undefined ? {} : { idx: number };
}

function wholeNumber(option: string, given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  if (!/^\d{1,15}$/.test(given)) throw new UsageFailure(`${option} must be a whole number`);
  return Number(given);
}
