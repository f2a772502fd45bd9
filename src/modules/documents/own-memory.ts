/** The same bytes in memory of their own: a part of a larger buffer keeps all of it, and is handed to a thread with it. */
export function withOwnMemory(bytes: Buffer): Buffer {
  if (bytes.length === bytes.buffer.byteLength) return bytes;
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  return copy;
}
