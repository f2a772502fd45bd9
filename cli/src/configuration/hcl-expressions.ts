import type { HclScanner } from './hcl-scanner.js';
import { isPlain, TemplateReader, templateText } from './hcl-templates.js';
import type { FileCall, HclExpression, TemplatePart } from './hcl-tree.js';

const OPERATORS = /(?:==|!=|<=|>=|&&|\|\||[-+*/%<>])/y;
const MODULE_PATH = 'path.module';
const OPERATOR_STARTS = [...'=!<>&|-+*/%'];
const KEYWORDS = new Set(['true', 'false', 'null']);
/** Functions whose first argument, or all of them, name something on the disk. */
const FILE_FUNCTION =
  /^(?:file(?:set|exists|base64|md5|sha1|sha256|sha512|base64sha256|base64sha512)?|templatefile)$/;
/** Deeper nesting than any person writes; it would end in a stack overflow. */
const DEEPEST = 500;

/** Reads expressions: the whole grammar of HCL's native syntax, without evaluating anything. */
export class ExpressionReader {
  readonly fileCalls: FileCall[] = [];
  /** where `path.module` stands */
  readonly modulePaths: { start: number; end: number }[] = [];
  readonly templates: TemplateReader;
  private depth = 0;

  constructor(private readonly scanner: HclScanner) {
    this.templates = new TemplateReader(scanner, () => void this.read());
  }

  /** One level deeper, of expressions or of blocks around them; `leave` ends it. */
  enter(): void {
    if (++this.depth > DEEPEST) this.scanner.fail('this is nested too deeply');
  }

  leave(): void {
    this.depth--;
  }

  /** From where the scanner stands, with space before it. */
  read(): HclExpression {
    const scanner: HclScanner = this.scanner;
    this.enter();
    scanner.skip();
    const start = scanner.position;
    const first = this.operation();
    const beforeSpace = scanner.position;
    scanner.skip();
    if (!scanner.take('?')) {
      scanner.position = beforeSpace;
      this.leave();
      return first;
    }
    this.read();
    scanner.skip();
    scanner.expect(':', 'a condition has ? and :');
    this.read();
    this.leave();
    return { kind: 'other', start, end: scanner.position };
  }

  private operation(): HclExpression {
    const scanner: HclScanner = this.scanner;
    const start = scanner.position;
    const first = this.operand();
    let found = first;
    for (;;) {
      const beforeSpace = scanner.position;
      scanner.skip();
      if (
        !OPERATOR_STARTS.includes(scanner.peek()) ||
        scanner.startsWith('=>') ||
        scanner.match(OPERATORS) === undefined
      ) {
        scanner.position = beforeSpace;
        return found;
      }
      scanner.skip();
      this.operand();
      found = { kind: 'other', start, end: scanner.position };
    }
  }

  private operand(): HclExpression {
    const scanner: HclScanner = this.scanner;
    const start = scanner.position;
    if (scanner.peek() === '-' || scanner.peek() === '!') {
      scanner.position++;
      scanner.skip();
      this.enter();
      this.operand();
      this.leave();
      return { kind: 'other', start, end: scanner.position };
    }
    const term = this.term();
    if (term.kind === 'name' && scanner.text.startsWith(MODULE_PATH, start)) this.modulePath(start);
    return this.traversal() ? { kind: 'other', start, end: scanner.position } : term;
  }

  private modulePath(start: number): void {
    const end = start + MODULE_PATH.length;
    if (!/[\w-]/.test(this.scanner.text.charAt(end))) this.modulePaths.push({ start, end });
  }

  private term(): HclExpression {
    const scanner: HclScanner = this.scanner;
    const start = scanner.position;
    const char = scanner.peek();
    switch (char) {
      case '"':
        return this.template(start, this.templates.quoted());
      case '<':
        return this.template(start, this.templates.heredoc());
      case '[':
        return this.tuple(start);
      case '{':
        return this.object(start);
      case '(':
        return this.parentheses(start);
    }
    if (scanner.number() !== undefined) return { kind: 'number', start, end: scanner.position };
    const name = scanner.identifier();
    if (name === undefined) scanner.fail('an expression is expected');
    if (KEYWORDS.has(name)) return { kind: 'keyword', start, end: scanner.position };
    return this.call(start, name) ?? { kind: 'name', start, end: scanner.position };
  }

  private template(start: number, parts: TemplatePart[]): HclExpression {
    return {
      kind: 'template',
      start,
      end: this.scanner.position,
      text: templateText(parts),
      isLiteral: isPlain(parts),
    };
  }

  private parentheses(start: number): HclExpression {
    const scanner: HclScanner = this.scanner;
    scanner.position++;
    scanner.within({
      ignoresLineEnds: true,
      read: () => {
        this.read();
        scanner.skip();
      },
    });
    scanner.expect(')', 'a parenthesis is not closed');
    return { kind: 'other', start, end: scanner.position };
  }

  private call(start: number, name: string): HclExpression | undefined {
    const scanner: HclScanner = this.scanner;
    const before = scanner.position;
    while (scanner.take('::')) {
      if (scanner.identifier() === undefined) scanner.fail('a function name is expected after ::');
    }
    const isQualified = scanner.position > before;
    scanner.skip();
    if (!scanner.take('(')) {
      if (isQualified) scanner.fail('a function is called with (');
      scanner.position = before;
      return undefined;
    }
    const args: string[] = [];
    scanner.within({
      ignoresLineEnds: true,
      read: () => {
        for (;;) {
          scanner.skip();
          if (scanner.take(')')) return;
          const argument = this.read();
          args.push(scanner.source(argument.start, argument.end));
          scanner.skip();
          scanner.take('...');
          scanner.skip();
          if (!scanner.take(',') && scanner.peek() !== ')')
            scanner.fail('arguments are divided by commas and closed by )');
        }
      },
    });
    if (FILE_FUNCTION.test(name.replace(/^core::/, ''))) this.fileCalls.push({ name, args });
    return { kind: 'other', start, end: scanner.position };
  }

  private traversal(): boolean {
    const scanner: HclScanner = this.scanner;
    for (let isFirst = true; ; isFirst = false) {
      const before = scanner.position;
      scanner.skip();
      if (scanner.take('[')) this.index();
      else if (scanner.peek() === '.' && !scanner.startsWith('...')) {
        scanner.position++;
        scanner.skip();
        if (!scanner.take('*') && scanner.match(/\d+/y) === undefined && scanner.identifier() === undefined) {
          scanner.fail('a name, a number or * is expected after the dot');
        }
      } else {
        scanner.position = before;
        return !isFirst;
      }
    }
  }

  private index(): void {
    const scanner: HclScanner = this.scanner;
    scanner.within({
      ignoresLineEnds: true,
      read: () => {
        scanner.skip();
        if (!scanner.take('*')) this.read();
        scanner.skip();
      },
    });
    scanner.expect(']', 'an index is not closed');
  }

  private tuple(start: number): HclExpression {
    const scanner: HclScanner = this.scanner;
    scanner.position++;
    return scanner.within({
      ignoresLineEnds: true,
      read: () => {
        scanner.skip();
        if (this.loop(']')) return { kind: 'other', start, end: scanner.position };
        const items: HclExpression[] = [];
        for (;;) {
          scanner.skip();
          if (scanner.take(']')) return { kind: 'tuple', items, start, end: scanner.position };
          items.push(this.read());
          scanner.skip();
          if (!scanner.take(',') && scanner.peek() !== ']')
            scanner.fail('the items of a list are divided by commas and closed by ]');
        }
      },
    });
  }

  private object(start: number): HclExpression {
    const scanner: HclScanner = this.scanner;
    scanner.position++;
    const isLoop = scanner.within({
      ignoresLineEnds: true,
      read: () => {
        scanner.skip();
        return this.loop('}');
      },
    });
    if (isLoop) return { kind: 'other', start, end: scanner.position };
    return scanner.within({
      ignoresLineEnds: false,
      read: () => {
        const items: { key: HclExpression; value: HclExpression }[] = [];
        for (;;) {
          scanner.skipLines();
          if (scanner.take('}')) return { kind: 'object', items, start, end: scanner.position };
          const key = this.read();
          scanner.skip();
          if (!scanner.take('=') && !scanner.take(':'))
            scanner.fail('a key of an object is followed by = or :');
          items.push({ key, value: this.read() });
          scanner.skip();
          if (!scanner.take(',') && scanner.peek() !== '\n' && scanner.peek() !== '}') {
            scanner.fail('the items of an object are divided by commas or lines and closed by }');
          }
        }
      },
    });
  }

  /** `for` right after the bracket makes it a loop; a key may bear that name. */
  private loop(closing: ']' | '}'): boolean {
    const scanner: HclScanner = this.scanner;
    const start = scanner.position;
    if (scanner.identifier() !== 'for') {
      scanner.position = start;
      return false;
    }
    scanner.skip();
    if (scanner.identifier() === undefined) {
      scanner.position = start;
      return false;
    }
    scanner.skip();
    if (scanner.take(',')) {
      scanner.skip();
      if (scanner.identifier() === undefined) scanner.fail('a name is expected after the comma');
      scanner.skip();
    }
    if (scanner.identifier() !== 'in') scanner.fail('for needs in');
    this.read();
    scanner.skip();
    scanner.expect(':', 'for needs : before its result');
    this.read();
    scanner.skip();
    if (closing === '}') {
      scanner.expect('=>', 'for in an object needs =>');
      this.read();
      scanner.skip();
      scanner.take('...');
      scanner.skip();
    }
    const beforeCondition = scanner.position;
    if (scanner.identifier() === 'if') this.read();
    else scanner.position = beforeCondition;
    scanner.skip();
    scanner.expect(closing, 'for is not closed');
    return true;
  }
}
