import { CHUNK_KINDS, inflateChunk, splitResources } from '../../documents/index.js';
import type { DocumentChunks } from '../chunks/document-chunks.store.js';

/** The JSON text of the instances with these keys, as they stand in some chunks of a state. */
export async function instanceTexts(
  chunks: DocumentChunks,
  stateId: string,
  hashes: readonly string[],
  keys: ReadonlySet<string>,
): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  if (keys.size === 0) return texts;
  for await (const chunk of chunks.read(stateId, hashes)) {
    if (chunk.kind === CHUNK_KINDS.frame) continue;
    for (const resource of splitResources(inflateChunk(chunk.data), chunk.context)) {
      for (const { key, text } of resource.instances) if (keys.has(key)) texts.set(key, text);
    }
  }
  return texts;
}
