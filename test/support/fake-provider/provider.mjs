// A fake hashicorp/aws provider as a process of its own, attached with TF_REATTACH_PROVIDERS.
// node provider.mjs <file with what exists>; prints the value for that variable.
import { fileURLToPath } from 'node:url';
import grpc from '@grpc/grpc-js';
import loader from '@grpc/proto-loader';
import { decode, encode, ExtensionCodec } from '@msgpack/msgpack';
import { Cloud } from './cloud.mjs';
import { attributesOf, blocksOf, DATA_SOURCES, RESOURCES, schemaOf } from './schemas.mjs';

class Unknown {}
const UNKNOWN = new Unknown();
const codec = new ExtensionCodec();
codec.register({
  type: 0,
  encode: (value) => (value instanceof Unknown ? new Uint8Array([0]) : null),
  decode: () => UNKNOWN,
});
// Terraform may say more of an unknown value (that it is not null, its prefix); it stays unknown.
codec.register({ type: 12, encode: () => null, decode: () => UNKNOWN });

const pack = (value) => ({ msgpack: Buffer.from(encode(value, { extensionCodec: codec })) });
const unpack = (dynamic) =>
  dynamic?.msgpack?.length ? decode(dynamic.msgpack, { extensionCodec: codec }) : null;
const isUnknown = (value) => value instanceof Unknown;
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
const error = (summary) => [{ severity: 1, summary, detail: '' }];

const cloud = new Cloud(process.argv[2]);

const methods = {
  GetSchema: () => ({
    provider: schemaOf({
      ...{ region: ['"string"', 'o'], profile: ['"string"', 'o'] },
      allowed_account_ids: ['["list","string"]', 'o'],
    }),
    resource_schemas: mapped(RESOURCES, (type) => schemaOf(type, 1)),
    data_source_schemas: mapped(DATA_SOURCES, (type) => schemaOf(type)),
  }),
  PrepareProviderConfig: ({ config }) => ({ prepared_config: config }),
  ValidateResourceTypeConfig: () => ({}),
  ValidateDataSourceConfig: () => ({}),
  Configure: () => ({}),
  Stop: () => ({}),
  UpgradeResourceState: ({ type_name: type, raw_state: raw }) => {
    const state = JSON.parse(raw.json.toString());
    return { upgraded_state: pack(shaped(type, state)) };
  },
  ReadResource: ({ type_name: type, current_state: current, private: kept }) => {
    const found = cloud.objects.get(unpack(current)?.id);
    return { new_state: pack(found ? shaped(type, found.attributes) : null), private: kept };
  },
  ReadDataSource: ({ type_name: type, config }) => {
    const asked = unpack(config);
    for (const [name, [, flags]] of attributesOf(DATA_SOURCES[type])) {
      if (flags.includes('c')) asked[name] = name === 'id' ? 'ami-0123456789abcdef0' : `${name} of ${type}`;
    }
    return { state: pack(asked) };
  },
  PlanResourceChange: (request) => plan(request),
  ApplyResourceChange: (request) => apply(request),
  ImportResourceState: ({ type_name: type, id }) => {
    const found = cloud.objects.get(id);
    if (!found) return { diagnostics: error(`there is no ${type} ${id}`) };
    return { imported_resources: [{ type_name: type, state: pack(shaped(type, found.attributes)) }] };
  },
};

function plan({
  type_name: type,
  prior_state: priorState,
  proposed_new_state: proposed,
  config: configuration,
}) {
  const [prior, planned, config] = [unpack(priorState), unpack(proposed), unpack(configuration)];
  if (planned === null) return { planned_state: pack(null) };
  const attributes = attributesOf(RESOURCES[type]);
  const replacing =
    prior === null
      ? []
      : attributes.filter(
          ([name, [, flags]]) =>
            flags.includes('f') && config[name] !== null && !same(prior[name], config[name]),
        );
  for (const [name, [, flags]] of attributes) {
    if (!flags.includes('c') || config[name] !== null) continue;
    if (prior === null || replacing.length > 0) planned[name] = UNKNOWN;
  }
  return {
    planned_state: pack(planned),
    requires_replace: replacing.map(([name]) => ({ steps: [{ attribute_name: name }] })),
  };
}

async function apply({ type_name: type, prior_state: priorState, planned_state: plannedState }) {
  const [prior, planned] = [unpack(priorState), unpack(plannedState)];
  const delay = Number((planned ?? prior)?.tags?.delay_ms ?? 0);
  if (delay > 0) await new Promise((done) => setTimeout(done, delay));
  if (cloud.refuses(planned ?? prior)) {
    return { new_state: priorState, diagnostics: error(`the cloud refuses this ${type}`) };
  }
  if (planned === null) {
    cloud.remove(prior.id);
    return { new_state: pack(null) };
  }
  const given = Object.fromEntries(Object.entries(planned).filter(([, value]) => !isUnknown(value)));
  const id = isUnknown(planned.id) ? cloud.newId(type, given) : planned.id;
  for (const [name] of attributesOf(RESOURCES[type]))
    if (isUnknown(planned[name])) planned[name] = computed(name, type, id);
  cloud.put(id, type, planned);
  return { new_state: pack(planned) };
}

function computed(name, type, id) {
  if (name === 'id') return id;
  if (name === 'arn') return `arn:aws:fake:eu-central-1:123456789012:${type}/${id}`;
  if (name === 'ingress') return [];
  return `${name} of ${id}`;
}

/** Exactly the members of the type, whatever was stored. */
function shaped(type, attributes) {
  const members = attributesOf(RESOURCES[type]).map(([name]) => [name, attributes[name] ?? null]);
  const blocks = blocksOf(RESOURCES[type]).map(([name]) => [name, attributes[name] ?? []]);
  return Object.fromEntries([...members, ...blocks]);
}

function mapped(record, change) {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));
}

const definition = loader.loadSync(fileURLToPath(new URL('./provider.proto', import.meta.url)), {
  keepCase: true,
  longs: Number,
});
const { service } = grpc.loadPackageDefinition(definition).tfplugin5.Provider;
const server = new grpc.Server({ 'grpc.max_receive_message_length': -1, 'grpc.max_send_message_length': -1 });
server.addService(
  service,
  Object.fromEntries(
    Object.keys(service).map((name) => [
      name,
      ({ request }, answer) =>
        void Promise.resolve()
          .then(() => methods[name](request))
          .then((value) => answer(null, value))
          .catch((problem) => answer({ code: grpc.status.INTERNAL, message: problem.stack })),
    ]),
  ),
);
server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (problem, port) => {
  if (problem) throw problem;
  const attachment = {
    Protocol: 'grpc',
    ProtocolVersion: 5,
    Pid: process.pid,
    Test: true,
    Addr: { Network: 'tcp', String: `127.0.0.1:${port}` },
  };
  process.stdout.write(`${JSON.stringify({ 'registry.terraform.io/hashicorp/aws': attachment })}\n`);
});
// It ends with the process that started it.
process.stdin.on('end', () => process.exit(0)).resume();
