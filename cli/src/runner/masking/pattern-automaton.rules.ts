const ROOT = 0;

/**
 * Finds the occurrences of many patterns in a stream of symbols (Aho and Corasick). The time is linear in the length of the
 * stream, whatever the patterns are. A state is a number; state 0 means that no pattern has begun.
 */
export class PatternAutomaton {
  /** length of the longest pattern */
  readonly longest: number;
  /** children of the root by symbol: nearly every symbol is looked up here */
  private readonly roots: Int32Array;
  private readonly firstChild: Int32Array;
  private readonly sibling: Int32Array;
  private readonly symbol: Int32Array;
  private readonly fallback: Int32Array;
  private readonly depths: Int32Array;
  /** length of the longest pattern that ends in a state */
  private readonly lengths: Int32Array;
  private count = 1;

  /** Symbols are numbers below `alphabet`. */
  constructor(
    patterns: Iterable<readonly number[]>,
    readonly alphabet: number,
  ) {
    const all = [...patterns].filter(({ length }) => length > 0);
    const size = all.reduce((sum, { length }) => sum + length, 1);
    this.longest = all.reduce((longest, { length }) => Math.max(longest, length), 0);
    this.roots = new Int32Array(alphabet);
    [this.firstChild, this.sibling, this.symbol, this.fallback, this.depths, this.lengths] = [
      new Int32Array(size),
      new Int32Array(size),
      new Int32Array(size),
      new Int32Array(size),
      new Int32Array(size),
      new Int32Array(size),
    ];
    for (const pattern of all) this.insert(pattern);
    this.link();
  }

  get isEmpty(): boolean {
    return this.count === 1;
  }

  next(state: number, symbol: number): number {
    for (let from = state; from !== ROOT; from = at(this.fallback, from)) {
      const child = this.child(from, symbol);
      if (child !== ROOT) return child;
    }
    return at(this.roots, symbol);
  }

  /** Number of symbols that may still become a pattern. */
  depth(state: number): number {
    return at(this.depths, state);
  }

  /** Length of the longest pattern that is complete in this state; 0 for none. */
  matchLength(state: number): number {
    return at(this.lengths, state);
  }

  private child(node: number, symbol: number): number {
    if (node === ROOT) return at(this.roots, symbol);
    let child = at(this.firstChild, node);
    while (child !== ROOT && this.symbol[child] !== symbol) child = at(this.sibling, child);
    return child;
  }

  private insert(pattern: readonly number[]): void {
    let node = ROOT;
    for (const symbol of pattern) {
      const known = this.child(node, symbol);
      node = known === ROOT ? this.append(node, symbol) : known;
    }
    this.lengths[node] = pattern.length;
  }

  private append(parent: number, symbol: number): number {
    const node = this.count++;
    this.symbol[node] = symbol;
    this.depths[node] = at(this.depths, parent) + 1;
    this.sibling[node] = at(this.firstChild, parent);
    this.firstChild[parent] = node;
    if (parent === ROOT) this.roots[symbol] = node;
    return node;
  }

  /** Breadth first: what a node falls back to is shallower than the node. */
  private link(): void {
    const queue = new Int32Array(this.count);
    let end = 1;
    for (let head = 0; head < end; head++) {
      const node = at(queue, head);
      for (let child = at(this.firstChild, node); child !== ROOT; child = at(this.sibling, child)) {
        const fallback = node === ROOT ? ROOT : this.next(at(this.fallback, node), at(this.symbol, child));
        this.fallback[child] = fallback;
        if (this.lengths[child] === 0) this.lengths[child] = at(this.lengths, fallback);
        queue[end++] = child;
      }
    }
  }
}

/** Indexes are always inside of the array. */
function at(array: Int32Array, index: number): number {
  return array[index] as number;
}
