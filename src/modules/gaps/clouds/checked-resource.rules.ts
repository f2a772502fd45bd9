import { isStorable, storableText } from '../../../platform/database/storable-text.js';
import { CloudFailure, type CloudResource } from './cloud-inventory.js';

/** Longest texts that a resource may have; a cloud that sends longer ones sends nonsense. Ids must fit an index entry. */
const MAX_ID_BYTES = 1_024;
const MAX_TYPE_BYTES = 256;
const MAX_TEXT_LENGTH = 4_096;
const MAX_TAGS = 1_000;

/** Refuses resources that cannot be what the cloud says, and replaces characters of names and tags that cannot be stored. */
export function checkedResource(resource: CloudResource, action: string): CloudResource {
  const { id, service, resourceType, aliases = [], name, region, account, tags, attributes } = resource;
  const isSound =
    id !== '' &&
    [id, ...aliases].every((text) => isIdentifier(text, MAX_ID_BYTES)) &&
    [service, resourceType].every((text) => isIdentifier(text, MAX_TYPE_BYTES)) &&
    [name, region, account].every((text) => text === undefined || text.length <= MAX_TEXT_LENGTH) &&
    [tags, attributes].every((texts) => texts === undefined || areSound(texts));
  if (!isSound)
    throw new CloudFailure('INVALID_RESPONSE', {
      action,
      message: 'the cloud listed a resource with impossible values',
    });
  return {
    ...resource,
    name: name === undefined ? undefined : storableText(name),
    region: region === undefined ? undefined : storableText(region),
    account: account === undefined ? undefined : storableText(account),
    tags: tags === undefined ? undefined : storableTexts(tags),
    attributes: attributes === undefined ? undefined : storableTexts(attributes),
  };
}

function isIdentifier(text: string, maxBytes: number): boolean {
  return Buffer.byteLength(text) <= maxBytes && isStorable(text);
}

function areSound(texts: Readonly<Record<string, string>>): boolean {
  const entries = Object.entries(texts);
  return (
    entries.length <= MAX_TAGS &&
    entries.every(([key, value]) => key.length + value.length <= MAX_TEXT_LENGTH)
  );
}

function storableTexts(texts: Record<string, string>): Record<string, string> {
  const entries = Object.entries(texts);
  if (entries.every(([key, value]) => isStorable(key) && isStorable(value))) return texts;
  return Object.fromEntries(entries.map(([key, value]) => [storableText(key), storableText(value)]));
}
