const MAX_SLAB_BYTES = 64 * 1024;

/**
 * Text that is kept for a while, as bytes. As a string it would outlive collections of V8's young heap, which then grows
 * and stays large.
 */
export class HeldText {
  private readonly slabs: Buffer<ArrayBuffer>[] = [];
  /** bytes of the last slab that hold text */
  private used = 0;

  /** Returns the number of bytes that were added. */
  add(text: string): number {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length;) {
      const count = bytes.copy(this.slabWithRoom(bytes.length - at), this.used, at);
      this.used += count;
      at += count;
    }
    return bytes.length;
  }

  /** Add nothing after this. */
  parts(): Buffer<ArrayBuffer>[] {
    const last = this.slabs.length - 1;
    return this.slabs.map((slab, n) => (n === last ? slab.subarray(0, this.used) : slab));
  }

  /** A short text takes as many bytes as it has; each slab of one that grows is twice as long as the one before. */
  private slabWithRoom(wanted: number): Buffer<ArrayBuffer> {
    const last = this.slabs.at(-1);
    if (last && this.used < last.length) return last;
    const slab = Buffer.alloc(Math.min(MAX_SLAB_BYTES, Math.max(wanted, 2 * (last?.length ?? 0))));
    this.slabs.push(slab);
    this.used = 0;
    return slab;
  }
}
