import type { OpenApiNode } from './openapi-descriptions.rules.js';
import { isNode, isOfType, typedByName } from './schema-types.rules.js';
import { EXAMPLES, PROPERTY_TEXTS } from './property-texts.js';

type Node = OpenApiNode;

/** What has no type of its own in the decorators' metadata, by schema and property. */
const SCALAR = { oneOf: [{ type: 'string' }, { type: 'integer' }] };
const UNTYPED: Readonly<Record<string, Node>> = {
  'ChangedAttributeView.before': {},
  'ChangedAttributeView.after': {},
  'InstanceView.index_key': SCALAR,
  'InstanceView.sensitive_attributes': { type: 'array', items: {} },
  'BlastRadiusEntryView.index': SCALAR,
  'OutputValueView.type': {},
  'OutputValueView.value': {},
};

/** Sets of values that have a name of their own; any other set is named after the first property that has it. */
const ENUM_NAMES: Readonly<Record<string, string>> = {
  'TaskView.state': 'TaskState',
  'UserView.type': 'UserType',
  'WriteView.result': 'WriteResult',
  'StateView.format': 'StateFormat',
  'StateVersionView.origin': 'VersionOrigin',
  'SubmissionView.status': 'SubmissionStatus',
  'MemberView.admin_scope': 'MemberScope',
  'InvitationView.role': 'InvitationRole',
  'InvitationView.status': 'InvitationStatus',
  'SentInvitationView.delivery': 'InvitationDelivery',
  'TransactionView.state': 'TransactionState',
  'PlanOperationView.operation': 'PlanOperation',
  'OutputView.payload': 'OutputPayload',
  'GraphNodeView.direction': 'GraphNodeDirection',
  'BlastRadiusEntryView.direction': 'BlastRadiusDirection',
  'BlastBucketView.bucket': 'BlastBucket',
  'ClaimableInstallationView.target_type': 'AccountType',
  'ClaimableInstallationView.state': 'InstallationState',
  'DirspaceView.run_type': 'RunType',
  'FindingView.severity_base': 'FindingSeverity',
  'StateCostsView.triggered_by': 'TriggeredBy',
};

/** The schemas of requests and answers, with the types, formats, names and descriptions that decorators leave out. */
export function completeSchemas(schemas: Record<string, Node>): Record<string, Node> {
  const enums = namedEnums(schemas);
  const completed: Record<string, Node> = {};
  for (const [name, schema] of Object.entries(schemas)) {
    const properties = schema['properties'] as Record<string, Node> | undefined;
    completed[name] = properties
      ? {
          ...schema,
          properties: Object.fromEntries(
            Object.entries(properties).map(([property, value]) => [
              property,
              completeProperty(name, property, value, enums),
            ]),
          ),
        }
      : schema;
  }
  for (const { name, values } of enums.values()) completed[name] = { type: 'string', enum: [...values] };
  return completed;
}

function completeProperty(schemaName: string, name: string, source: Node, enums: EnumNames): Node {
  const override = UNTYPED[`${schemaName}.${name}`];
  const base = override ? { ...withoutType(source), ...override } : typedByName(schemaName, name, source);
  const description = base['description'] ?? PROPERTY_TEXTS[name];
  const named = withEnumName(base, enums);
  if ('$ref' in named) return description === undefined ? named : { ...named, description };
  return {
    ...named,
    ...(description === undefined ? {} : { description }),
    ...(EXAMPLES[name] !== undefined && fitsExample(named, name) ? { examples: [EXAMPLES[name]] } : {}),
  };
}

interface NamedEnum {
  name: string;
  values: readonly string[];
}
type EnumNames = ReadonlyMap<string, NamedEnum>;

/** Sets of two values or more that properties are limited to. */
function namedEnums(schemas: Record<string, Node>): EnumNames {
  const found = new Map<string, NamedEnum>();
  const taken = new Set(Object.keys(schemas));
  const places = Object.entries(schemas).flatMap(([schema, { properties }]) =>
    Object.entries((properties as Record<string, Node> | undefined) ?? {}).flatMap(([property, value]) => {
      const values = valuesOf(value) ?? valuesOf(value['items']);
      return values ? [{ place: `${schema}.${property}`, values }] : [];
    }),
  );
  const explicit = places.filter(({ place }) => ENUM_NAMES[place] !== undefined);
  for (const { place, values } of [...explicit, ...places]) {
    const key = values.join('\0');
    if (found.has(key)) continue;
    const name = ENUM_NAMES[place] ?? nameOf(place);
    if (taken.has(name)) continue;
    taken.add(name);
    found.set(key, { name, values });
  }
  return found;
}

function withEnumName(schema: Node, enums: EnumNames): Node {
  const items = schema['items'];
  if (schema['type'] === 'array' && isNode(items)) return { ...schema, items: withEnumName(items, enums) };
  const values = valuesOf(schema);
  const known = values && enums.get(values.join('\0'));
  if (!known) return schema;
  const { type: _, enum: __, ...rest } = schema;
  return { ...rest, $ref: `#/components/schemas/${known.name}` };
}

function valuesOf(schema: unknown): string[] | undefined {
  if (!isNode(schema) || schema['type'] !== 'string' || !Array.isArray(schema['enum'])) return undefined;
  const values = schema['enum'].filter((value): value is string => typeof value === 'string');
  return values.length > 1 ? values.toSorted() : undefined;
}

/** `GraphNodeView.direction` → `GraphNodeDirection`. */
function nameOf(place: string): string {
  const [schema = '', property = ''] = place.split('.');
  const words = property.split('_').map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `${schema.replace(/(View|Body)$/, '')}${words.join('')}`;
}

function fitsExample(schema: Node, name: string): boolean {
  const example = EXAMPLES[name];
  if (name === 'id' || name.endsWith('_id')) return schema['format'] === 'uuid';
  return typeof example === 'number' ? isOfType(schema, 'integer') : isOfType(schema, 'string');
}

function withoutType(schema: Node): Node {
  const { type: _, items: __, allOf: ___, ...rest } = schema;
  return rest;
}
