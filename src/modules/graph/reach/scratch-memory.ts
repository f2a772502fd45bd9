/** Numbers of one block. */
const BLOCK = 1 << 20;
/** What is kept of it for later; the rest is left to the garbage collector. */
const MOST_KEPT = 8 * BLOCK;

/**
 * Memory for the arrays of one task at a time, used again by the next: a search over hundreds of graphs needs some 20 MB for
 * a few milliseconds, and collecting that again and again takes longer than the search.
 */
export class ScratchMemory {
  private blocks: Uint32Array[] = [];
  private block = 0;
  private used = 0;

  /** Holds anything. */
  words(length: number): Uint32Array {
    for (; this.block < this.blocks.length; this.block++, this.used = 0) {
      const block = this.blocks[this.block];
      if (!block || block.length - this.used < length) continue;
      this.used += length;
      return block.subarray(this.used - length, this.used);
    }
    const added = new Uint32Array(Math.max(BLOCK, length));
    this.blocks.push(added);
    this.used = length;
    return added.subarray(0, length);
  }

  /** All zero. */
  flags(length: number): Uint8Array {
    const words = this.words(Math.ceil(length / 4)).fill(0);
    return new Uint8Array(words.buffer, words.byteOffset, length);
  }

  /** What was given out so far is given out again. */
  reset(): void {
    let kept = 0;
    this.blocks = this.blocks.filter((block) => (kept += block.length) <= MOST_KEPT);
    this.block = 0;
    this.used = 0;
  }
}
