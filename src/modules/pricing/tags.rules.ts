import { isRecord } from '../../platform/json/is-record.js';

/** What stands in stored attributes instead of a secret. */
const MASKED = '(sensitive value)';

/**
 * The tags of an instance: `tags_all` over `tags` (AWS), `effective_labels` over `terraform_labels` over `labels`
 * (Google), blocks `tag` of a scaling group. Only text values; sensitive ones are left out.
 */
export function tagsOf(type: string, attributes: unknown): Record<string, string> | undefined {
  if (!isRecord(attributes)) return undefined;
  const names = type.startsWith('google_') ? GOOGLE : OTHERS;
  let tags: Record<string, string> | undefined;
  // The least telling name first; later ones win tag by tag.
  for (const name of names) {
    const value = Object.hasOwn(attributes, name) ? attributes[name] : undefined;
    if (!isRecord(value)) continue;
    for (const [key, text] of Object.entries(value)) if (isTag(text)) put((tags ??= {}), key, text);
  }
  for (const [key, text] of tagBlocks(attributes)) put((tags ??= {}), key, text);
  return tags;
}

const GOOGLE = ['labels', 'terraform_labels', 'effective_labels'];
const OTHERS = ['tags', 'tags_all'];

function* tagBlocks(attributes: Record<string, unknown>): Generator<[string, string]> {
  const blocks = Object.hasOwn(attributes, 'tag') ? attributes['tag'] : undefined;
  if (!Array.isArray(blocks)) return;
  for (const block of blocks as unknown[]) {
    if (isRecord(block) && typeof block['key'] === 'string' && isTag(block['value']))
      yield [block['key'], block['value']];
  }
}

/** A tag may be named like a member of Object.prototype. */
function put(tags: Record<string, string>, key: string, value: string): void {
  if (key !== '__proto__') tags[key] = value;
  else Object.defineProperty(tags, key, { value, enumerable: true, writable: true, configurable: true });
}

function isTag(value: unknown): value is string {
  return typeof value === 'string' && value !== MASKED;
}
