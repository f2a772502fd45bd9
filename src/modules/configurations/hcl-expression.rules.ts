/** What is named by the expressions of a text in Terraform's language. */
export interface ExpressionNames {
  /** attribute accesses without their indexes and splats: `module.net["a"].out` → `['module', 'net', 'out']` */
  traversals: string[][];
  /** calls of functions that read files, with the text of their first argument */
  fileCalls: { name: string; argument: string }[];
}

/** A text in which expressions stand in `${…}` and `%{…}`. */
export function namesInTemplate(text: string): ExpressionNames {
  const names: ExpressionNames = { traversals: [], fileCalls: [] };
  // Most texts have none.
  if (text.includes('${') || text.includes('%{')) new Scanner(text, 0, names).template(false);
  return names;
}

/** A text that is an expression as a whole, with or without `${…}` around it. */
export function namesInExpression(text: string): ExpressionNames {
  const names: ExpressionNames = { traversals: [], fileCalls: [] };
  new Scanner(text, 0, names).expression('');
  return names;
}

/** `aws_x.a[0]`, `module.net["a.b"].aws_x.a` → the names in it, without keys. */
export function namesOfAddress(text: string): string[] {
  return namesInExpression(text).traversals[0] ?? [];
}

const FILE_FUNCTIONS = new Set(
  (
    'file fileexists fileset filebase64 filebase64sha256 filebase64sha512 filemd5 filesha1 filesha256 filesha512 ' +
    'templatefile'
  ).split(' '),
);
const NAME_START = /[\p{L}_]/u;
const NAME = /[\p{L}\p{N}_-]*/uy;
const NUMBER = /[\p{L}\p{N}_]+/uy;
const HEREDOC = /<<-?([\p{L}_][\p{L}\p{N}_-]*)\r?\n/uy;

/** Deeper nesting than anybody writes; what stands in it is not looked at. */
const MOST_NESTED = 200;

interface OpenCall {
  name: string;
  start: number;
  depth: number;
}

/** Reads one text once. What it does not understand it steps over. */
class Scanner {
  constructor(
    private readonly text: string,
    private at: number,
    private readonly found: ExpressionNames,
    private nested = 0,
  ) {}

  /** Text with expressions in it, to its end or to the quote that closes it. */
  template(quoted: boolean): void {
    const { text } = this;
    while (this.at < text.length) {
      const char = text[this.at];
      if (quoted && char === '\\') this.at += 2;
      else if (quoted && char === '"') {
        this.at++;
        return;
      } else if ((char === '$' || char === '%') && text[this.at + 1] === '{') {
        this.at += 2;
        this.expression('}');
      } else if ((char === '$' || char === '%') && text.startsWith(`${char}{`, this.at + 1)) this.at += 3;
      else this.at++;
    }
  }

  /** An expression, to the end or to the character that closes it. */
  expression(closing: '' | '}' | ']'): void {
    const { text } = this;
    const calls: OpenCall[] = [];
    let depth = 0;
    if (++this.nested > MOST_NESTED) this.at = text.length;
    while (this.at < text.length) {
      const char = text.charAt(this.at);
      if (depth === 0 && char === closing) {
        this.at++;
        break;
      }
      if (char === '"') {
        this.at++;
        this.template(true);
      } else if (char === '#' || text.startsWith('//', this.at)) this.skipTo('\n');
      else if (text.startsWith('/*', this.at)) this.skipTo('*/');
      else if (text.startsWith('<<', this.at)) this.heredoc();
      else if (char === '.') this.accesses([]);
      else if (NAME_START.test(char)) {
        const name = this.name();
        if (name !== undefined) calls.push({ name, start: this.at + 1, depth: depth + 1 });
      } else if (/\p{N}/u.test(char)) this.match(NUMBER);
      else {
        if (char === ',' || char === ')') this.endArgument(calls, depth);
        if ('([{'.includes(char)) depth++;
        else if (')]}'.includes(char)) depth--;
        this.at++;
      }
    }
    this.nested--;
  }

  /** The first argument of a call ends where the next one begins, or with the call. */
  private endArgument(calls: OpenCall[], depth: number): void {
    const call = calls.at(-1);
    if (call?.depth !== depth) return;
    calls.pop();
    this.found.fileCalls.push({ name: call.name, argument: this.text.slice(call.start, this.at) });
  }

  /** Answers the name when it is that of a function that reads files, and is called. */
  private name(): string | undefined {
    const names = [this.match(NAME)];
    this.accesses(names);
    const [first = ''] = names;
    if (names.length > 1) this.found.traversals.push(names);
    else if (this.text.charAt(this.at) === '(' && FILE_FUNCTIONS.has(first)) return first;
    return undefined;
  }

  /** `.name`, `.*`, `.0` and `[…]`, as many as follow. What stands in an index is an expression of its own. */
  private accesses(names: string[]): void {
    const { text } = this;
    for (;;) {
      const char = text.charAt(this.at);
      if (char === '[') {
        this.at++;
        this.expression(']');
      } else if (char === '.') {
        this.at++;
        const next = text.charAt(this.at);
        if (NAME_START.test(next)) names.push(this.match(NAME));
        else if (/\p{N}/u.test(next)) this.match(NUMBER);
        else if (next === '*') this.at++;
        else return;
      } else return;
    }
  }

  private heredoc(): void {
    const { text } = this;
    HEREDOC.lastIndex = this.at;
    const begin = HEREDOC.exec(text);
    if (!begin) {
      this.at += 2;
      return;
    }
    const from = this.at + begin[0].length;
    const end = new RegExp(`^[ \\t]*${begin[1] ?? ''}(?![\\p{L}\\p{N}_-])`, 'mu').exec(text.slice(from));
    const to = end ? from + end.index : text.length;
    new Scanner(text.slice(from, to), 0, this.found, this.nested + 1).template(false);
    this.at = end ? to + end[0].length : to;
  }

  private skipTo(end: string): void {
    const found = this.text.indexOf(end, this.at);
    this.at = found === -1 ? this.text.length : found + end.length;
  }

  private match(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const text = pattern.exec(this.text)?.[0] ?? this.text.charAt(this.at);
    this.at += text.length;
    return text;
  }
}
