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
