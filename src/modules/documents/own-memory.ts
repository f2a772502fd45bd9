/** A copy in memory of its own, which may be handed to another thread. */
export function ownCopy(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  return copy;
}

/** The same bytes in memory of their own: a part of a larger buffer keeps all of it, and is handed to a thread with it. */
export function withOwnMemory(bytes: Buffer): Buffer {
  return bytes.length === bytes.buffer.byteLength ? bytes : ownCopy(bytes);
}

/**
 * The memory of `buffers` to list in `postMessage`, each once. Empty memory is left out: it is often shared by several
 * messages, and from Node.js 22 on moving it a second time throws.
 */
export function memoryToMove(buffers: readonly Uint8Array[]): ArrayBuffer[] {
  const memory = buffers.map((bytes) => bytes.buffer);
  return [...new Set(memory)].filter(
    (buffer) => buffer instanceof ArrayBuffer && buffer.byteLength > 0,
  ) as ArrayBuffer[];
}
