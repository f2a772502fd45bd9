import { type IdAttributes, idText } from './cloud-id.js';

/** Grants on another resource, which carry that resource's id at the beginning of their own. */
const GRANT = /_iam_(?:member|binding|policy|audit_config)$/;
const INSTANCE_BY_NUMBER = /^projects\/[^/]+\/zones\/([^/]+)\/instances\/(\d+)$/;

/** Paths without host and API version; an instance also by its number, under its zone with `-` for the project. */
export function googleIdsOf(type: string, attributes: IdAttributes): string[] {
  if (GRANT.test(type)) return [];
  const ids = new Set<string>();
  for (const name of ['self_link', 'id']) {
    const path = pathOf(idText(attributes[name]) ?? '');
    if (path !== undefined) ids.add(path);
  }
  if (type === 'google_storage_bucket') {
    ids.clear();
    const bucket = idText(attributes['name']) ?? idText(attributes['id']);
    if (bucket !== undefined) ids.add(`projects/_/buckets/${bucket}`);
  }
  const number = attributes['instance_id'];
  const zone = idText(attributes['zone']);
  if (
    type.startsWith('google_compute_instance') &&
    typeof number === 'string' &&
    /^\d+$/.test(number) &&
    zone
  )
    ids.add(`projects/-/zones/${zone.slice(zone.lastIndexOf('/') + 1)}/instances/${number}`);
  return [...ids];
}

/** The ids under which an asset name, a link or a path may be stored. */
export function googleLookupIds(id: string): string[] {
  const bucket = /^\/\/storage\.googleapis\.com\/([^/]+)$/.exec(id)?.[1];
  if (bucket !== undefined) return [`projects/_/buckets/${bucket}`];
  const path = pathOf(id);
  if (path === undefined) return [];
  const instance = INSTANCE_BY_NUMBER.exec(path);
  return instance ? [path, `projects/-/zones/${instance[1]}/instances/${instance[2]}`] : [path];
}

/** `projects/…`, `organizations/…` or `folders/…`, whatever host and version stand before it. */
function pathOf(id: string): string | undefined {
  const withoutHost = id.replace(/^(?:https?:)?\/\/[^/]+\//, '');
  return /(?:^|\/)((?:projects|organizations|folders)\/[^/]+\/.+)$/.exec(withoutHost)?.[1];
}
