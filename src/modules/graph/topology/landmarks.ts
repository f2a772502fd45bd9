const KEY = 16;
const ENTRY = KEY + 4;

/** Ordinals of the few instances that links between states name, by instance key. */
export type Landmarks = ReadonlyMap<string, number>;

export function encodeLandmarks(landmarks: Landmarks): Buffer {
  const bytes = Buffer.alloc(landmarks.size * ENTRY);
  let at = 0;
  for (const [key, node] of landmarks) {
    bytes.write(key.replaceAll('-', ''), at, 'hex');
    bytes.writeUInt32LE(node, at + KEY);
    at += ENTRY;
  }
  return bytes;
}

export function decodeLandmarks(bytes: Buffer): Landmarks {
  const landmarks = new Map<string, number>();
  for (let at = 0; at + ENTRY <= bytes.length; at += ENTRY)
    landmarks.set(uuidText(bytes.subarray(at, at + KEY)), bytes.readUInt32LE(at + KEY));
  return landmarks;
}

/** 16 bytes in the text form of a uuid. */
export function uuidText(bytes: Buffer): string {
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
