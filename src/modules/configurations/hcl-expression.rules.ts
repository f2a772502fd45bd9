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

/** Reads one text once. What it does not understand it steps over. */
class Scanner {
  constructor(
    private readonly text: string,
    private at: number,
    private readonly found: ExpressionNames,
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

  /** An expression, to the end or to the first of these characters that closes it. */
  expression(closing: string): void {
    const { text } = this;
    let depth = 0;
    while (this.at < text.length) {
      const char = text.charAt(this.at);
      if (depth === 0 && closing.includes(char)) {
        this.at++;
        return;
      }
      if (char === '"') {
        this.at++;
        this.template(true);
      } else if (char === '#' || text.startsWith('//', this.at)) this.skipTo('\n');
      else if (text.startsWith('/*', this.at)) this.skipTo('*/');
      else if (text.startsWith('<<', this.at)) this.heredoc();
      else if (char === '.') this.accesses([]);
      else if (NAME_START.test(char)) this.name();
      else if (/\p{N}/u.test(char)) this.match(NUMBER);
      else {
        if ('([{'.includes(char)) depth++;
        else if (')]}'.includes(char)) depth--;
        this.at++;
      }
    }
  }

  private name(): void {
    const names = [this.match(NAME)];
    this.accesses(names);
    const [first = ''] = names;
    if (names.length > 1) this.found.traversals.push(names);
    else if (this.text.charAt(this.at) === '(' && FILE_FUNCTIONS.has(first)) {
      const start = this.at + 1;
      this.found.fileCalls.push({ name: first, argument: this.text.slice(start, this.endOfArgument(start)) });
    }
  }

  private endOfArgument(start: number): number {
    const ahead = new Scanner(this.text, start, { traversals: [], fileCalls: [] });
    ahead.expression(',)');
    return Math.max(start, ahead.at - 1);
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
    new Scanner(text.slice(from, to), 0, this.found).template(false);
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
