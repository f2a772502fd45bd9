import { isRecord } from '../../platform/json/is-record.js';

type Node = Record<string, unknown>;

/** Ids that are no UUIDs: of locks, of other systems, and names. */
const OTHER_IDS = new Set([
  'ErrorBody.id',
  'LockView.id',
  'GraphNodeView.id',
  'AuditEntryView.id',
  'AuditEntryView.object_id',
  'AuditEntryView.request_id',
  'InstallationView.id',
  'RepositoryView.id',
  'GapResourceView.id',
  'UnmanagedResourceView.resource_id',
  'UnmanagedResourceView.region_id',
  'RunErrorView.id',
]);
const OTHER_ID_NAMES =
  /^(app_|client_|app_client_|request_|object_|external_|installation_|node_|lock_|github_|check_|owning_|cloud_resource_|rule_key|repo_|run_id$)/;
/** Numbers that need not be whole. */
const DECIMALS = /(cost|price|amount|rate|ratio|share|percent|score|seconds)$/;

/** Whole numbers, ids and times of properties and parameters are what their names say. */
export function typedByName(schemaName: string, name: string, schema: Node): Node {
  if (schema['type'] === 'array' && isNode(schema['items']))
    return { ...schema, items: typedByName(schemaName, name.replace(/_ids$/, '_id'), schema['items']) };
  if (isOfType(schema, 'number') && schema['format'] === undefined && !DECIMALS.test(name))
    return { ...schema, type: replaced(schema['type'], 'number', 'integer') };
  if (!isOfType(schema, 'string') || schema['format'] !== undefined || schema['enum'] !== undefined)
    return schema;
  if (name.endsWith('_at')) return { ...schema, format: 'date-time' };
  return isOwnId(schemaName, name) ? { ...schema, format: 'uuid' } : schema;
}

/** An id of this service, and not of a cloud, a code host or a client. */
function isOwnId(schemaName: string, name: string): boolean {
  const isId = name === 'id' || name.endsWith('_id') || name.endsWith('_by') || name === 'conflicts_with';
  return isId && !OTHER_IDS.has(`${schemaName}.${name}`) && !OTHER_ID_NAMES.test(name);
}

export function isOfType(schema: Node, type: string): boolean {
  const declared = schema['type'];
  return declared === type || (Array.isArray(declared) && declared.includes(type));
}

function replaced(declared: unknown, from: string, to: string): unknown {
  return Array.isArray(declared) ? declared.map((type: unknown) => (type === from ? to : type)) : to;
}

export function isNode(value: unknown): value is Node {
  return isRecord(value);
}
