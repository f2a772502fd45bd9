import { UsageFailure } from '../failure.js';

/** Tags of a transaction: a JSON object, or `key=value,key=value`. */
export function parseTags(text: string): Record<string, unknown> {
  if (text.trim() === '') return {};
  if (text.trimStart().startsWith('{')) return parseJsonTags(text);
  return Object.fromEntries(text.split(',').map((pair) => parseTag(pair.trim())));
}

export function parseTag(pair: string): [string, string] {
  const at = pair.indexOf('=');
  if (at < 1) throw new UsageFailure(`a tag must look like key=value, not "${pair}"`);
  return [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
}

function parseJsonTags(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    throw new UsageFailure('INFRASTATE_TX_TAGS begins like a JSON object and is none');
  }
}
