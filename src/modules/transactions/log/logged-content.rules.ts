import {
  INSTANCE_MEMBERS,
  instanceAddress,
  isArray,
  isObject,
  keyOf,
  member,
  minifiedJson,
  type Owner,
  parseRaw,
  printRaw,
  type RawJson,
  type RawObject,
  readContent,
  resourceAddress,
} from '../../documents/index.js';
import { resourceOf } from './state-fields.rules.js';
import type { InstanceEdit } from '../../states/index.js';

/** An entry of a transaction's log, as far as it says what a state holds. */
export interface StateEntry {
  action: string;
  objectType: string;
  /** JSON text */
  data: string;
}

export interface LoggedInstance extends InstanceEdit {
  address: string;
  /** of the content; only known when the log names the provider */
  hash?: string;
}

/** What a transaction's log says a state is to hold. */
export interface LoggedContent {
  instances: LoggedInstance[];
  /** addresses of resources whose instances go, but for those in `instances` */
  removedResources: ReadonlySet<string>;
  outputs: ReadonlyMap<string, string | undefined>;
  checks: ReadonlyMap<string, LoggedCheck | undefined>;
  terraformVersion: string | undefined;
  /** becomes that of a state that has none yet, or that is overwritten */
  lineage: string | undefined;
}

/** A check result, or changes to one that the state has. */
export interface LoggedCheck {
  objectKind: string | undefined;
  status: string | undefined;
  /** by object address, JSON text */
  objects: Map<string, string>;
}

/** Says where an instance stands; not part of it. */
const WHEREABOUTS = new Set([
  'resource_address',
  'address',
  'mode',
  'type',
  'name',
  'module',
  'provider',
  'index_key',
]);

interface SetInstance {
  key: string;
  module: string | undefined;
  mode: string;
  type: string;
  name: string;
  provider: string | undefined;
  resourceAddress: string;
  instance: RawObject;
}

/** What the entries read so far amount to. */
class ContentOfLog {
  readonly set = new Map<string, SetInstance>();
  readonly removed = new Map<string, LoggedInstance>();
  readonly removedResources = new Set<string>();
  readonly providers = new Map<string, string>();
  readonly outputs = new Map<string, string | undefined>();
  readonly checks = new Map<string, LoggedCheck | undefined>();
  terraformVersion: string | undefined;
  lineage: string | undefined;
}

/** What an entry does, by its action and object type. `read`: a text member of its data. */
const APPLY: Readonly<
  Record<string, (log: ContentOfLog, data: RawJson, read: (name: string) => string | undefined) => void>
> = {
  'state_set resource': ({ providers }, data, read) => {
    const provider = read('provider');
    if (provider !== undefined) providers.set(addressOf(data), providerText(provider));
  },
  'state_set instance': ({ set, removed }, data) => {
    const found = instanceOf(data);
    set.set(found.key, found);
    removed.delete(found.key);
  },
  'state_delete instance': ({ set, removed }, _data, read) => {
    const address = read('address') ?? '';
    const key = keyOf(address);
    set.delete(key);
    removed.set(key, { key, address, resourceAddress: address, text: undefined, resource: undefined });
  },
  'state_delete resource': ({ set, removedResources }, _data, read) => {
    const address = read('address') ?? '';
    removedResources.add(address);
    for (const [key, instance] of set) if (instance.resourceAddress === address) set.delete(key);
  },
  'state_set output': ({ outputs }, data, read) => outputs.set(read('name') ?? '', outputText(data)),
  'state_delete output': ({ outputs }, _data, read) => outputs.set(read('name') ?? '', undefined),
  'state_set check_result': ({ checks }, _data, read) => {
    const check = checkOf(checks, read('config_addr') ?? '');
    check.objectKind = read('object_kind');
    check.status = read('status');
  },
  'state_set check_result_entry': ({ checks }, data, read) =>
    checkOf(checks, read('config_addr') ?? '').objects.set(read('object_addr') ?? '', entryText(data)),
  'state_delete check_result': ({ checks }, _data, read) => checks.set(read('address') ?? '', undefined),
  'state_set state_metadata': (log, _data, read) => {
    log.terraformVersion = read('terraform_version');
    log.lineage = read('lineage') || undefined;
  },
};

/** Reads the entries in order: a later entry replaces an earlier one. */
export function loggedContent(entries: readonly StateEntry[], owner: Owner): LoggedContent {
  const log = new ContentOfLog();
  for (const { action, objectType, data: text } of entries) {
    const data = parseRaw(minifiedJson(text));
    APPLY[`${action} ${objectType}`]?.(log, data, (name) => textOf(member(data, name)));
  }
  const { set, removed, removedResources, providers, outputs, checks, terraformVersion, lineage } = log;
  return {
    instances: [...written([...set.values()], providers, owner), ...removed.values()],
    removedResources,
    outputs,
    checks,
    terraformVersion,
    lineage,
  };
}

/** The text of a check result after a change; undefined when there is none to change and too little is said for a new one. */
export function checkText(
  current: string | undefined,
  configAddress: string,
  change: LoggedCheck,
): string | undefined {
  const before = current === undefined ? undefined : parseRaw(minifiedJson(current));
  const objectKind = change.objectKind ?? textOf(member(before, 'object_kind'));
  const status = change.status ?? textOf(member(before, 'status'));
  if (objectKind === undefined || status === undefined) return undefined;
  const list = member(before, 'objects');
  const kept = typeof list === 'object' && 'items' in list ? list.items : [];
  const objects = new Map(kept.map((item) => [textOf(member(item, 'object_addr')) ?? '', printRaw(item)]));
  for (const [address, text] of change.objects) objects.set(address, text);
  const head = JSON.stringify({ object_kind: objectKind, config_addr: configAddress, status });
  return `${head.slice(0, -1)},"objects":[${[...objects.values()].join(',')}]}`;
}

/** The instances in the document's own form, by way of a document that holds just them. */
function written(
  instances: readonly SetInstance[],
  providers: ReadonlyMap<string, string>,
  owner: Owner,
): LoggedInstance[] {
  const known = (instance: SetInstance) => providers.get(instance.resourceAddress) ?? instance.provider;
  const resources = instances.map((instance): RawJson => {
    const { module, mode, type, name } = instance;
    const provider = known(instance) ?? providerText(type.split('_')[0] ?? type);
    const header = { ...(module ? { module } : {}), mode, type, name, provider };
    return {
      entries: [
        ...Object.entries(header).map(([key, value]): [string, RawJson] => [key, JSON.stringify(value)]),
        ['instances', { items: [instance.instance] }],
      ],
    };
  });
  const document: RawJson = {
    entries: [
      ['version', '4'],
      ['resources', { items: resources }],
    ],
  };
  const content = readContent(Buffer.from(printRaw(document)), owner);
  return instances.flatMap((instance) => {
    const found = content.instances.get(instance.key);
    if (!found) return [];
    const { node, text, resource } = found;
    const isKnown = known(instance) !== undefined;
    return {
      key: node.key,
      address: node.address,
      resourceAddress: node.resourceAddress,
      text,
      resource,
      headerIsGuess: !isKnown,
      ...(isKnown ? { hash: node.hash } : {}),
    };
  });
}

function instanceOf(data: RawJson): SetInstance {
  const read = (name: string) => textOf(member(data, name));
  const [module, mode, type, name] = [
    read('module'),
    read('mode') ?? '',
    read('type') ?? '',
    read('name') ?? '',
  ];
  const resource = resourceAddress(module === '' ? undefined : module, mode, type, name);
  const index = indexOf(member(data, 'index_key'), resource, read('address') ?? '');
  const provider = read('provider');
  const entries = isObject(data)
    ? data.entries
        .filter(([key]) => !WHEREABOUTS.has(key))
        .map(([key, value]): [string, RawJson] => [key, key === 'dependencies' ? onResources(value) : value])
    : [];
  if (index !== undefined) entries.push(['index_key', JSON.stringify(index)]);
  if (!entries.some(([key]) => key === 'schema_version')) entries.push(['schema_version', '0']);
  const rank = ([key]: [string, RawJson]) => {
    const at = INSTANCE_MEMBERS.indexOf(key);
    return at === -1 ? INSTANCE_MEMBERS.length : at;
  };
  return {
    key: keyOf(instanceAddress(resource, index), read('deposed')),
    module: module === '' ? undefined : module,
    mode,
    type,
    name,
    provider: provider === undefined ? undefined : providerText(provider),
    resourceAddress: resource,
    instance: { entries: entries.sort((a, b) => rank(a) - rank(b)) },
  };
}

function onResources(dependencies: RawJson): RawJson {
  if (!isArray(dependencies)) return dependencies;
  const names = dependencies.items.map((each) => resourceOf(textOf(each) ?? ''));
  return { items: [...new Set(names)].map((name) => JSON.stringify(name)) };
}

/** As given, else from the end of the address: `[0]`, `["a"]`. */
function indexOf(raw: RawJson | undefined, resource: string, address: string): string | number | undefined {
  const given = typeof raw === 'string' ? (JSON.parse(raw) as unknown) : undefined;
  if (typeof given === 'string' || typeof given === 'number') return given;
  const rest = address.startsWith(`${resource}[`) ? address.slice(resource.length + 1, -1) : '';
  if (/^\d+$/.test(rest)) return Number(rest);
  return rest.startsWith('"') ? unquoted(rest) : undefined;
}

function unquoted(text: string): string {
  return text
    .slice(1, -1)
    .replace(/\\(u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)/g, (_, escape: string) => {
      if (escape.length > 1) return String.fromCodePoint(Number.parseInt(escape.slice(1), 16));
      return { n: '\n', r: '\r', t: '\t' }[escape] ?? escape;
    })
    .replace(/([$%])\1\{/g, '$1{');
}

function addressOf(data: RawJson): string {
  const read = (name: string) => textOf(member(data, name)) ?? '';
  return resourceAddress(read('module') || undefined, read('mode'), read('type'), read('name'));
}

const IN_DOCUMENT = /^(?:module\.[^.]+\.)*provider[.[]/;

/** `aws`, `hashicorp/aws` and full source addresses in the form of a document. */
function providerText(provider: string): string {
  if (IN_DOCUMENT.test(provider)) return provider;
  const parts = provider.split('/');
  const full =
    provider === 'terraform'
      ? 'terraform.io/builtin/terraform'
      : ['registry.terraform.io', 'hashicorp']
          .slice(0, Math.max(0, 3 - parts.length))
          .concat(parts)
          .join('/');
  return `provider["${full}"]`;
}

function outputText(data: RawJson): string {
  const sensitive = member(data, 'sensitive') === 'true' ? ',"sensitive":true' : '';
  const part = (name: string) => printRaw(member(data, name) ?? 'null');
  return `{"value":${part('value')},"type":${part('type')}${sensitive}}`;
}

function entryText(data: RawJson): string {
  const messages = member(data, 'failure_messages');
  const head = JSON.stringify({
    object_addr: textOf(member(data, 'object_addr')),
    status: textOf(member(data, 'status')),
  });
  return messages === undefined ? head : `${head.slice(0, -1)},"failure_messages":${printRaw(messages)}}`;
}

function checkOf(checks: Map<string, LoggedCheck | undefined>, address: string): LoggedCheck {
  const found = checks.get(address) ?? { objectKind: undefined, status: undefined, objects: new Map() };
  checks.set(address, found);
  return found;
}

function textOf(raw: RawJson | undefined): string | undefined {
  return typeof raw === 'string' && raw.startsWith('"') ? (JSON.parse(raw) as string) : undefined;
}
