import { defineThreadWork } from '../../../platform/threads/index.js';
import { z } from 'zod';
import {
  acceptableJson,
  isArray,
  isObject,
  member,
  minifiedJson,
  parseRaw,
  printRaw,
  type RawJson,
} from '../../documents/index.js';
import {
  addressOf,
  blockOf,
  isTooDeep,
  nodeIdOf,
  referencesOf,
  withoutBackend,
} from '../../configurations/index.js';
import {
  CHECK_RESULT,
  CHECK_RESULT_ENTRY,
  INSTANCE_FIELDS,
  isOfType,
  isType,
  MODULE_ADDRESS,
  PROVIDER_CONFIGURATION,
  RESOURCE_TYPE,
  TERRAFORM_VERSION,
} from './state-fields.rules.js';

const NAME = z.string().min(1).max(1024);
const PATH = z.string().min(1).max(4096);
/** Files of the root module stand in its directory: where another stood would be taken for the root by its runner. */
const LEADS_OUT = /^(?:[/\\]|[A-Za-z]:)|(?:^|[/\\])\.\.(?:[/\\]|$)/;
const MODULE = z.string().max(4096);
/** Of a block: the calls it stands in, without keys. */
const CALL_PATH = z
  .string()
  .max(4096)
  .regex(/^(?:module\.[^.[\]]+(?:\.module\.[^.[\]]+){0,63})?$/);
const ADDRESS = z.string().min(1).max(100_000);
const ANY = z.unknown();
const LINE = z.int32().min(1).optional();
const RESOURCE = {
  mode: z.enum(['managed', 'data']),
  type: RESOURCE_TYPE,
  name: NAME,
  module: MODULE_ADDRESS,
  provider: PROVIDER_CONFIGURATION,
};

/** Data by action and object type (contract-notes.md section 3). */
const KINDS: Readonly<Record<string, z.ZodType<Record<string, unknown>>>> = {
  'hcl_set hcl': z
    .object({ file: PATH, module: CALL_PATH, data: ANY, start_line: LINE, end_line: LINE })
    .refine(({ file, module }) => module !== '' || !LEADS_OUT.test(file), { path: ['file'] }),
  'hcl_delete hcl': z.object({ node_id: ADDRESS }),
  'tfvar_set tfvar': z.object({ file: PATH, name: NAME, data: ANY }),
  'tfvar_ephemeral tfvar': z.object({ file: PATH, name: NAME, data: ANY }),
  'tfvar_delete tfvar': z.object({ node_id: ADDRESS }),
  'file_set file': z.object({
    filepath: PATH,
    module: MODULE,
    content: z.base64(),
    content_hash: z.string().min(1).max(200),
    mode: z.union([z.string().max(20), z.number().int()]),
  }),
  'file_delete file': z.object({ filepath: PATH }),
  'state_set state_metadata': z.object({
    version: z.number().int(),
    terraform_version: TERRAFORM_VERSION,
    serial: z.number().int().min(0),
    lineage: z.string().max(1024),
  }),
  'state_set provider': z.object({ name: NAME }),
  'state_set resource': z.object({ address: ADDRESS, ...RESOURCE }),
  'state_set instance': z.looseObject({
    resource_address: ADDRESS,
    address: ADDRESS,
    ...RESOURCE,
    ...INSTANCE_FIELDS,
  }),
  'state_set output': z
    .object({ name: NAME, type: ANY, value: ANY, sensitive: z.boolean().nullish() })
    .refine(({ type }) => isType(type), { path: ['type'] })
    .refine(({ type, value }) => isType(type) && isOfType(value, type), { path: ['value'] }),
  'state_set check_result': CHECK_RESULT,
  'state_set check_result_entry': CHECK_RESULT_ENTRY,
  'state_delete resource': z.object({ address: ADDRESS }),
  'state_delete instance': z.object({ address: ADDRESS }),
  'state_delete check_result': z.object({ address: ADDRESS }),
  'state_delete output': z.object({ name: NAME }),
  'state_delete provider': z.object({ name: NAME }),
  'refresh refresh': z.looseObject({}),
};

const ENTRY = z.object({
  action: z.string(),
  object_type: z.string(),
  state_id: z.uuid().nullish(),
  data: z.record(z.string(), ANY).nullish(),
});

export const MOST_ENTRIES = 10_000;

/** An entry as it is kept. */
export interface LogEntry {
  action: string;
  objectType: string;
  stateId: string | undefined;
  nodeId: string | undefined;
  /** JSON text; numbers as the client wrote them */
  data: string;
}

/** What was understood of an entry; `derived` stands above what the client said. */
interface Understood extends Omit<LogEntry, 'data'> {
  data: Record<string, unknown>;
  derived: Record<string, unknown>;
}

/** What stands in the log instead of a value that must not be stored. */
export const EPHEMERAL = '(ephemeral)';

/** The entries of one request, or what is wrong with the first bad one; its values are never quoted. */
export function parseLogEntries(text: string): LogEntry[] | string {
  const [body, raw] = readTwice(text);
  if (!Array.isArray(body) || !isArray(raw)) return 'the body is an array of log entries';
  if (body.length > MOST_ENTRIES) return `at most ${MOST_ENTRIES} entries at a time`;
  const entries: LogEntry[] = [];
  for (const [index, item] of body.entries()) {
    const entry = parseEntry(item);
    if (typeof entry === 'string') return `entry ${index}: ${entry}`;
    const { derived, ...kept } = entry;
    const said = member(raw.items[index], 'data');
    entries.push({ ...kept, data: dataText(kept, derived, said) });
  }
  return entries;
}

/** As values to look at, and as tokens to keep. */
function readTwice(text: string): [unknown, RawJson | undefined] {
  try {
    return [JSON.parse(text), parseRaw(minifiedJson(text))];
  } catch {
    return [undefined, undefined]; // no JSON, or nested beyond all measure
  }
}

function dataText(
  { action, data }: Pick<Understood, 'action' | 'data'>,
  derived: Record<string, unknown>,
  raw: RawJson | undefined,
): string {
  const own = Object.keys(data).filter((name) => !(name in derived));
  // By name at once: asking for one member looks at all of them.
  const members = new Map(isObject(raw) ? raw.entries : []);
  const said = (name: string): RawJson => {
    const value = members.get(name) ?? 'null';
    return action === 'hcl_set' && name === 'data' ? withoutBackend(value) : value;
  };
  const entries = [
    ...own.map((name): [string, RawJson] => [name, said(name)]),
    ...Object.entries(derived).map(([name, value]): [string, RawJson] => [name, JSON.stringify(value)]),
  ];
  return acceptableJson(printRaw({ entries }));
}

function parseEntry(raw: unknown): Understood | string {
  const parsed = ENTRY.safeParse(raw);
  if (!parsed.success) return problemOf(parsed.error);
  const { action, object_type: objectType, state_id: stateId, data: given } = parsed.data;
  const shape = KINDS[`${action} ${objectType}`];
  if (!shape) return 'there is no such action on such an object';
  const found = shape.safeParse(given ?? {});
  if (!found.success) return `data: ${problemOf(found.error)}`;
  const { data } = found;
  if (action.startsWith('state_')) {
    if (!stateId) return 'state_id is missing';
    if (isTooDeep(data)) return 'data: data is nested too deep';
  }
  const named = typeof data['node_id'] === 'string' ? data['node_id'] : undefined;
  const kept = { action, objectType, stateId: stateId?.toLowerCase(), nodeId: named, data, derived: {} };
  if (action === 'hcl_set') return block(kept);
  if (objectType === 'file') return { ...kept, nodeId: `file:${String(data['filepath'])}` };
  return objectType === 'tfvar' && action !== 'tfvar_delete' ? variable(kept) : kept;
}

/** The value of a root variable; an ephemeral one is never stored. */
function variable(entry: Understood): Understood | string {
  const { action, data } = entry;
  if (isTooDeep(data['data'])) return 'data: data is nested too deep';
  const nodeId = `${String(data['file'])}:${String(data['name'])}`;
  const secret = action === 'tfvar_ephemeral' ? { data: EPHEMERAL } : {};
  return { ...entry, nodeId, derived: { node_id: nodeId, ...secret } };
}

/** The service derives what a block is and refers to; what the client says of it does not count. */
function block(entry: Understood): Understood | string {
  const { file, module, data } = entry.data as { file: string; module: string; data: unknown };
  const found = blockOf(data);
  if (typeof found === 'string') return `data: ${found}`;
  const address = addressOf(found, module);
  const nodeId = nodeIdOf(found, module, file);
  return { ...entry, nodeId, derived: { node_id: nodeId, address, references: referencesOf(found) } };
}

function problemOf(error: z.ZodError): string {
  const [issue] = error.issues;
  const path = issue?.path.join('.') ?? '';
  return path === ''
    ? 'it does not have the expected shape'
    : `${path.slice(0, 100)} is missing or malformed`;
}

/** Parses the JSON text of log entries, or says what is wrong with it; may run in a thread. */
export const PARSE_ENTRIES = defineThreadWork(
  __filename,
  'PARSE_ENTRIES',
  (bytes: Uint8Array): LogEntry[] | string =>
    parseLogEntries(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()),
);
