import type { IngestedDocument } from '../../documents/index.js';
import type { PreparedDocument } from '../chunks/stored-documents.store.js';
import type { FrameRows } from '../publishing/version-publisher.js';

/** A document whose chunks are about to be stored. */
export function prepared(document: IngestedDocument): PreparedDocument & FrameRows {
  const { frame } = document;
  return {
    hashes: document.chunks.map((chunk) => chunk.hash),
    frame: frame.index,
    serial: frame.serial,
    lineage: frame.lineage,
    format: frame.format,
    terraformVersion: frame.terraformVersion,
    graphError: frame.graphError,
    md5: document.md5,
    crc32: document.crc32,
    size: document.size,
    outputs: frame.outputs,
    checkResults: frame.checkResults,
  };
}
