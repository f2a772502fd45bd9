/** A place where a document may be cut: right after the comma before a resource or an instance. */
export interface Boundary {
  kind: 'list' | 'resource' | 'instance' | 'end';
  /** offset in the searched buffer; for `list` after the `[`, for `end` before the white space of the `]` */
  at: number;
}

export interface BoundaryFinder {
  /** Reports the boundaries in `bytes` from where the last call stopped, in order. */
  find(bytes: Buffer, report: (boundary: Boundary) => void): void;
  /** The first `count` bytes of the buffer have been dropped. */
  shift(count: number): void;
}

/** The document is not laid out as its beginning promised; nothing is known about where resources begin. */
export class LayoutMismatch extends Error {}

const LIST = Buffer.from('\n  "resources": [');
const LIST_ITEM = '\n    {\n      "';
const NEXT_RESOURCE = Buffer.from('\n    },\n    {\n');
const NEXT_INSTANCE = Buffer.from('\n        },\n        {\n');
const LAST_RESOURCE = Buffer.from('\n    }\n  ]');
const OVERLAP = NEXT_INSTANCE.length;

/**
 * Finds boundaries in the layout the client writes (two spaces of indentation, one member a line) by searching for the
 * line breaks between resources; a raw line break cannot stand inside of a JSON string. Instance boundaries are only
 * reported once `wantInstances` is set, because they need a second search.
 */
export class ClientLayoutFinder implements BoundaryFinder {
  private from = 0;
  private inList = false;
  private ended = false;
  wantInstances = false;

  /** Whether a document that begins like this promises the client's layout. */
  static recognises(head: Buffer): boolean {
    return head.subarray(0, 5).toString('latin1') === '{\n  "';
  }

  find(bytes: Buffer, report: (boundary: Boundary) => void): void {
    if (!this.inList && !this.ended) this.findList(bytes, report);
    while (this.inList) {
      const next = bytes.indexOf(NEXT_RESOURCE, this.from);
      const until = next === -1 ? bytes.length : next;
      if (this.wantInstances) this.findInstances(bytes, until, report);
      if (next === -1) break;
      this.from = next + NEXT_RESOURCE.length;
      report({ kind: 'resource', at: next + '\n    },'.length });
    }
    if (!this.inList) return;
    const last = bytes.indexOf(LAST_RESOURCE, this.from);
    if (last === -1) {
      this.from = Math.max(this.from, bytes.length - OVERLAP);
      return;
    }
    this.inList = false;
    this.ended = true;
    report({ kind: 'end', at: last + '\n    }'.length });
  }

  shift(count: number): void {
    this.from = Math.max(0, this.from - count);
  }

  private findList(bytes: Buffer, report: (boundary: Boundary) => void): void {
    const found = bytes.indexOf(LIST, this.from);
    const after = found + LIST.length;
    if (found === -1 || bytes.length < after + LIST_ITEM.length) {
      this.from = Math.max(0, found === -1 ? bytes.length - LIST.length : found);
      return;
    }
    if (bytes.toString('latin1', after, after + LIST_ITEM.length) === LIST_ITEM) {
      this.inList = true;
      this.from = after;
      report({ kind: 'list', at: after });
    } else if (bytes[after] === 0x5d) this.ended = true;
    else throw new LayoutMismatch();
  }

  private findInstances(bytes: Buffer, until: number, report: (boundary: Boundary) => void): void {
    for (;;) {
      const found = bytes.indexOf(NEXT_INSTANCE, this.from);
      if (found === -1 || found >= until) return;
      this.from = found + NEXT_INSTANCE.length;
      report({ kind: 'instance', at: found + '\n        },'.length });
    }
  }
}

/** Finds boundaries in any layout by following strings and nesting byte by byte. */
export class StructuralFinder implements BoundaryFinder {
  private pos = 0;
  private depth = 0;
  private inString = false;
  private escaped = false;
  private stringStart = 0;
  private lastString = '';
  private topKey = '';
  private resourceKey = '';
  private inList = false;
  private seenList = false;

  find(bytes: Buffer, report: (boundary: Boundary) => void): void {
    for (; this.pos < bytes.length; this.pos++) {
      const byte = bytes[this.pos] as number;
      if (this.inString) this.stringByte(bytes, byte);
      else if (byte === 0x22) {
        this.inString = true;
        this.stringStart = this.pos;
      } else if (byte === 0x7b || byte === 0x5b) this.opens(byte, report);
      else if (byte === 0x7d || byte === 0x5d) this.closes(bytes, report);
      else if (byte === 0x3a) this.names();
      else if (byte === 0x2c && this.inList) this.separates(report);
    }
  }

  shift(count: number): void {
    this.pos -= count;
    this.stringStart -= count;
  }

  private stringByte(bytes: Buffer, byte: number): void {
    if (this.escaped) this.escaped = false;
    else if (byte === 0x5c) this.escaped = true;
    else if (byte === 0x22) {
      this.inString = false;
      if (this.depth === 1 || this.depth === 3) this.lastString = nameIn(bytes, this.stringStart, this.pos);
    }
  }

  private names(): void {
    if (this.depth === 1) this.topKey = this.lastString;
    else if (this.depth === 3) this.resourceKey = this.lastString;
  }

  private opens(byte: number, report: (boundary: Boundary) => void): void {
    this.depth++;
    if (byte === 0x5b && this.depth === 2 && this.topKey === 'resources' && !this.seenList) {
      this.inList = true;
      this.seenList = true;
      report({ kind: 'list', at: this.pos + 1 });
    } else if (this.depth === 3) this.resourceKey = '';
  }

  private closes(bytes: Buffer, report: (boundary: Boundary) => void): void {
    if (this.inList && this.depth === 2) {
      this.inList = false;
      let at = this.pos;
      while (at > 0 && ' \n\r\t'.includes(String.fromCharCode(bytes[at - 1] as number))) at--;
      report({ kind: 'end', at });
    }
    this.depth--;
  }

  private separates(report: (boundary: Boundary) => void): void {
    if (this.depth === 2) report({ kind: 'resource', at: this.pos + 1 });
    else if (this.depth === 4 && this.resourceKey === 'instances')
      report({ kind: 'instance', at: this.pos + 1 });
  }
}

const LONGEST_NAME = 128;

/** The string between two quotes; empty when it is too long to be a member this looks for. */
function nameIn(bytes: Buffer, from: number, to: number): string {
  if (from < 0 || to - from > LONGEST_NAME) return '';
  const text = bytes.toString('utf8', from + 1, to);
  if (!text.includes('\\')) return text;
  try {
    return JSON.parse(`"${text}"`) as string;
  } catch {
    return '';
  }
}
