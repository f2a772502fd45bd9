const HASH_BYTES = 32;

/** Chunk hashes of a document in order, 32 bytes each, from and to hex. */
export function packHashes(hashes: readonly string[]): Buffer {
  return Buffer.concat(hashes.map((hash) => Buffer.from(hash, 'hex')));
}

export function unpackHashes(chunks: Buffer): string[] {
  const hashes: string[] = [];
  for (let at = 0; at < chunks.length; at += HASH_BYTES)
    hashes.push(chunks.toString('hex', at, at + HASH_BYTES));
  return hashes;
}
