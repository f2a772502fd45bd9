import { HclSyntaxError } from './hcl-syntax-error.js';

const PLAIN_IDENTIFIER = /[A-Za-z_][\w-]*(?![^\0-\x7f])/y;
const IDENTIFIER = /[\p{ID_Start}_][\p{ID_Continue}-]*/uy;
const NUMBER = /\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const SPACE = /[ \t\r\uFEFF]+/y;

/** Moves over the text of one file: white space, comments, names, numbers; knows lines. */
export class HclScanner {
  position = 0;
  /** white space and comments may hold line ends here */
  ignoresLineEnds = false;
  private readonly comments: { start: number; end: number }[] = [];
  private lineStarts: number[] | undefined;

  constructor(
    readonly text: string,
    private readonly file: string,
    private readonly firstLine = 1,
  ) {}

  get isAtEnd(): boolean {
    return this.position >= this.text.length;
  }

  peek(): string {
    return this.text.charAt(this.position);
  }

  startsWith(text: string): boolean {
    return this.text.startsWith(text, this.position);
  }

  /** Takes the text when it stands here. */
  take(text: string): boolean {
    if (!this.startsWith(text)) return false;
    this.position += text.length;
    return true;
  }

  expect(text: string, problem: string): void {
    if (!this.take(text)) this.fail(problem);
  }

  match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.position;
    const found = pattern.exec(this.text)?.[0];
    if (found !== undefined) this.position += found.length;
    return found;
  }

  identifier(): string | undefined {
    return this.match(PLAIN_IDENTIFIER) ?? this.match(IDENTIFIER);
  }

  number(): string | undefined {
    return this.match(NUMBER);
  }

  /** White space and comments, and line ends where they mean nothing. */
  skip(): void {
    for (;;) {
      const code = this.text.charCodeAt(this.position);
      if (code === 32 || code === 9 || code === 13 || code === 0xfeff) this.match(SPACE);
      else if (code === 10 && this.ignoresLineEnds) this.position++;
      else if (code === 35 || (code === 47 && this.text.charCodeAt(this.position + 1) === 47))
        this.lineComment();
      else if (code === 47 && this.text.charCodeAt(this.position + 1) === 42) this.blockComment();
      else return;
    }
  }

  /** Also over line ends, whatever the mode. */
  skipLines(): void {
    for (;;) {
      this.skip();
      if (this.text.charCodeAt(this.position) !== 10) return;
      this.position++;
    }
  }

  /** Runs with line ends ignored or not, and sets the mode back. */
  within<T>({ ignoresLineEnds, read }: { ignoresLineEnds: boolean; read: () => T }): T {
    const before = this.ignoresLineEnds;
    this.ignoresLineEnds = ignoresLineEnds;
    try {
      return read();
    } finally {
      this.ignoresLineEnds = before;
    }
  }

  /** The text between two offsets without comments and outer white space. */
  source(start: number, end: number): string {
    let from = start;
    let found = '';
    for (let at = this.firstCommentAt(start); at < this.comments.length; at++) {
      const comment = this.comments[at];
      if (!comment || comment.start >= end) break;
      found += `${this.text.slice(from, comment.start).replace(/[ \t]+$/, '')} `;
      from = comment.end;
    }
    return (found + this.text.slice(from, end)).trim();
  }

  lineAt(offset: number): number {
    this.lineStarts ??= [0, ...[...this.text.matchAll(/\n/g)].map((found) => found.index + 1)];
    let [low, high] = [0, this.lineStarts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.lineStarts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return low + this.firstLine;
  }

  fail(problem: string, offset = this.position): never {
    throw new HclSyntaxError(this.file, this.lineAt(offset), problem);
  }

  private lineComment(): void {
    const start = this.position;
    const end = this.text.indexOf('\n', start);
    this.position = end === -1 ? this.text.length : end;
    this.remember(start);
  }

  private blockComment(): void {
    const start = this.position;
    const end = this.text.indexOf('*/', start + 2);
    if (end === -1) this.fail('a comment is not closed');
    this.position = end + 2;
    this.remember(start);
  }

  /** Going back and reading again must not list a comment twice. */
  private remember(start: number): void {
    if (start >= (this.comments.at(-1)?.end ?? 0)) this.comments.push({ start, end: this.position });
  }

  private firstCommentAt(offset: number): number {
    let [low, high] = [0, this.comments.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.comments[middle]?.start ?? 0) < offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
