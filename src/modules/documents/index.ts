export { DocumentIngest, ReadSession, UnreadableDocument } from './document-ingest.js';
export type { IngestedDocument } from './document-ingest.js';
export { DocumentCopy } from './document-copy.js';
export type { ChunkSpool } from './chunk-spool.js';
export type { Piece } from './document-cutter.js';
export { membersOf, parseFrame, topLevelMembers } from './document-frame.js';
export type {
  CheckResultRow,
  DocumentFormat,
  DocumentFrame,
  FrameIndex,
  OutputRow,
} from './document-frame.js';
export {
  CHUNK_KINDS,
  chunkOf,
  inflateChunk,
  inflateChunkAside,
  inflateIndex,
  parseChunk,
} from './document-reader.js';
export { CopyTupleWriter } from './copy-tuple.js';
export { withOwnMemory } from './own-memory.js';
export type { Chunk, NewChunk, ParsedChunk, StorableChunk } from './document-reader.js';
export { DocumentsModule } from './documents.module.js';
export { crc32Combine, DEFLATE_END, GZIP_HEADER, gzipTrailer } from './gzip-member.js';
export { instanceAddress, keyOf, resourceAddress, withoutKeys } from './instance-address.js';
export { INSTANCE_MEMBERS } from './instance-members.js';
export type { InstanceMeta, InstanceNode, ParsedResources } from './instance-node.js';
export { JsonScanner, minifiedJson, NotJson } from './json-scanner.js';
export { acceptableJson, projectAttributes, withoutBackendSecrets } from './attribute-masking.js';
export { pathsOf } from './masked-paths.js';
export type { Owner } from './instance-tuple.js';
export { checksOf, editFrame, outputsDocument, pretty } from './frame-text.js';
export type { FrameEdit } from './frame-text.js';
export { readContent } from './state-content.js';
export type { ContentInstance, StateContent } from './state-content.js';
export { SENSITIVE } from './sensitive-value.js';
export { joinResources, splitResources } from './resource-text.js';
export type { ResourceText } from './resource-text.js';
export { isArray, isObject, member, parseRaw, printRaw } from './raw-json.js';
export type { RawJson, RawObject } from './raw-json.js';
