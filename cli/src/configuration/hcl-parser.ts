import { ExpressionReader } from './hcl-expressions.js';
import { HclScanner } from './hcl-scanner.js';
import { isPlain, templateText } from './hcl-templates.js';
import type { FileCall, HclAttribute, HclBlock, HclBody, HclExpression, TemplatePart } from './hcl-tree.js';

/** Reads HCL as Terraform does (native syntax specification of HCL): the whole grammar, without evaluating anything. */
export class HclParser {
  private readonly scanner: HclScanner;
  private readonly expressions: ExpressionReader;

  constructor(text: string, file: string, firstLine = 1) {
    this.scanner = new HclScanner(text, file, firstLine);
    this.expressions = new ExpressionReader(this.scanner);
  }

  get fileCalls(): FileCall[] {
    return this.expressions.fileCalls;
  }

  /** Where `path.module` stands. */
  get modulePaths(): { start: number; end: number }[] {
    return this.expressions.modulePaths;
  }

  /** A whole file. */
  file(): HclBody {
    const body = this.body();
    if (!this.scanner.isAtEnd) this.scanner.fail('an argument or a block is expected');
    return body;
  }

  /** A text that is one expression, with nothing after it. */
  wholeExpression(): HclExpression {
    const found = this.scanner.within({
      ignoresLineEnds: true,
      read: () => {
        const value = this.expressions.read();
        this.scanner.skip();
        return value;
      },
    });
    if (!this.scanner.isAtEnd) this.scanner.fail('the expression goes on where it should end');
    return found;
  }

  /** A text that is a template, as JSON strings are. */
  wholeTemplate(): TemplatePart[] {
    return this.expressions.templates.bare();
  }

  /** The text of an expression without comments. */
  source(expression: { start: number; end: number }): string {
    return this.scanner.source(expression.start, expression.end);
  }

  lineAt(offset: number): number {
    return this.scanner.lineAt(offset);
  }

  fail(problem: string, offset: number): never {
    this.scanner.fail(problem, offset);
  }

  private body(): HclBody {
    const scanner: HclScanner = this.scanner;
    const body: HclBody = { attributes: [], blocks: [] };
    const names = new Set<string>();
    for (;;) {
      scanner.skipLines();
      if (scanner.isAtEnd || scanner.peek() === '}') return body;
      this.item(body, names);
      scanner.skip();
      if (!scanner.isAtEnd && scanner.peek() !== '\n' && scanner.peek() !== '}') {
        scanner.fail('a line ends after an argument or a block');
      }
    }
  }

  private item(body: HclBody, names: Set<string>): void {
    const scanner: HclScanner = this.scanner;
    const start = scanner.position;
    const name = scanner.identifier();
    if (name === undefined) scanner.fail('an argument or a block is expected');
    scanner.skip();
    if (scanner.peek() === '=' && !scanner.startsWith('==')) {
      scanner.position++;
      if (names.has(name)) scanner.fail(`the argument ${name} was already set`, start);
      names.add(name);
      body.attributes.push(this.attribute(name, start));
    } else body.blocks.push(this.block(name, start));
  }

  private attribute(name: string, start: number): HclAttribute {
    const value = this.expressions.read();
    return { name, value, start };
  }

  private block(type: string, start: number): HclBlock {
    const scanner: HclScanner = this.scanner;
    const labels: string[] = [];
    for (;;) {
      scanner.skip();
      if (scanner.take('{')) break;
      labels.push(this.label());
    }
    this.expressions.enter();
    const body = scanner.within({ ignoresLineEnds: false, read: () => this.body() });
    this.expressions.leave();
    scanner.expect('}', `the ${type} block is not closed`);
    return { type, labels, body, start, end: scanner.position };
  }

  private label(): string {
    const scanner: HclScanner = this.scanner;
    if (scanner.peek() !== '"') {
      return scanner.identifier() ?? scanner.fail('a block has its labels and then {, an argument has =');
    }
    const start = scanner.position;
    const parts = this.expressions.templates.quoted();
    if (!isPlain(parts)) scanner.fail('a label is a plain string', start);
    return templateText(parts);
  }
}
