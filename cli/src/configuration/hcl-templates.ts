import { type HeredocPiece, withoutIndentation } from './heredoc.rules.js';
import type { HclScanner } from './hcl-scanner.js';
import type { TemplatePart } from './hcl-tree.js';

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '"': '"', '\\': '\\' };
const QUOTED_TEXT = /[^"\\$%\n]+/y;
const TEMPLATE_TEXT = /[^$%]+/y;
const LINE_TEXT = /[^$%\n]*\n?/y;
const HEREDOC_START = /<<(-?)([\p{ID_Start}_][\p{ID_Continue}-]*)[ \t\r]*\n/uy;

/** Reads quoted strings, heredocs and the text of templates into parts; expressions inside are read by `expression`. */
export class TemplateReader {
  constructor(
    private readonly scanner: HclScanner,
    private readonly expression: () => void,
  ) {}

  /** From the opening quote to the closing one. */
  quoted(): TemplatePart[] {
    const scanner: HclScanner = this.scanner;
    const start = scanner.position;
    scanner.expect('"', 'a string is expected');
    const parts: TemplatePart[] = [];
    for (;;) {
      const plain = scanner.match(QUOTED_TEXT);
      if (plain !== undefined) addText(parts, plain);
      const char = scanner.peek();
      if (char === '') scanner.fail('a string is not closed', start);
      if (char === '\n') scanner.fail('a string is not closed on its line; use the heredoc syntax', start);
      if (char === '"') {
        scanner.position++;
        return trimmed(parts);
      }
      if (char === '\\') this.escape(parts);
      else this.dollarOrPercent(parts);
    }
  }

  /** A whole text without quotes around it, as JSON strings hold templates. */
  bare(): TemplatePart[] {
    const parts: TemplatePart[] = [];
    while (!this.scanner.isAtEnd) {
      const plain = this.scanner.match(TEMPLATE_TEXT);
      if (plain !== undefined) addText(parts, plain);
      else this.dollarOrPercent(parts);
    }
    return parts;
  }

  /** From `<<` to the closing word, the line end after it left alone. */
  heredoc(): TemplatePart[] {
    const scanner: HclScanner = this.scanner;
    const start = scanner.position;
    const opening = scanner.match(HEREDOC_START);
    if (opening === undefined) scanner.fail('a heredoc begins with << and a word');
    const [, dash, word = ''] = /^<<(-?)(\S+)/.exec(opening) ?? [];
    const closing = new RegExp(`[ \\t]*${word}[ \\t\\r]*(?=\\n|$)`, 'y');
    const parts: TemplatePart[] = [];
    for (let isLineStart = true; ;) {
      if (isLineStart && scanner.match(closing) !== undefined)
        return dash ? unindented(trimmed(parts)) : trimmed(parts);
      if (scanner.isAtEnd) scanner.fail(`a heredoc is not closed by ${word}`, start);
      const before = parts.length;
      const line = scanner.match(LINE_TEXT);
      if (line) parts.push(textPart(line));
      isLineStart = line?.endsWith('\n') === true;
      if (!isLineStart && !scanner.isAtEnd && scanner.peek() !== '\n') this.dollarOrPercent(parts, before);
    }
  }

  private escape(parts: TemplatePart[]): void {
    const scanner: HclScanner = this.scanner;
    const unicode = scanner.match(/\\(?:u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})/y);
    const char = unicode
      ? String.fromCodePoint(parseInt(unicode.slice(2), 16))
      : ESCAPES[scanner.text.charAt(scanner.position + 1)];
    if (char === undefined)
      scanner.fail('a backslash stands before n, r, t, ", \\, u or U and hexadecimal digits');
    if (!unicode) scanner.position += 2;
    // As itself it could open a sequence that was none, and Terraform misreads a template after a bare \r.
    if (char === '\r') addInterpolation(parts, '"\\r"');
    else if (char === '$' || char === '%') addInterpolation(parts, `"${char}"`);
    else if (char === '{' && /[$%]$/.test(lastText(parts))) addText(parts, `${lastText(parts).slice(-1)}{`);
    else addText(parts, char);
  }

  private dollarOrPercent(parts: TemplatePart[], mergeFrom = 0): void {
    const scanner: HclScanner = this.scanner;
    const char = scanner.peek();
    const isEscaped = scanner.startsWith(`${char}${char}{`);
    if (!isEscaped && scanner.text.charAt(scanner.position + 1) === '{') {
      parts.push(this.sequence(char === '$'));
      return;
    }
    const length = isEscaped ? 3 : 1;
    addText(parts, scanner.text.substr(scanner.position, length), mergeFrom);
    scanner.position += length;
  }

  private sequence(isInterpolation: boolean): TemplatePart {
    const scanner: HclScanner = this.scanner;
    scanner.position += 2;
    const read = (): TemplatePart => {
      const opensStripped = scanner.take('~');
      scanner.skip();
      const from = scanner.position;
      if (isInterpolation) this.expression();
      else this.directive();
      scanner.skip();
      const to = scanner.position;
      const closesStripped = scanner.take('~');
      scanner.expect('}', 'a template sequence is closed by }');
      const text = scanner.source(from, to);
      const [open, close] = [opensStripped ? '~' : '', closesStripped ? '~' : ''];
      return {
        kind: isInterpolation ? 'interpolation' : 'directive',
        text,
        source: `${isInterpolation ? '$' : '%'}{${open}${padded(text, { isInterpolation })}${close}}`,
        stripsBefore: opensStripped,
        stripsAfter: closesStripped,
      };
    };
    return scanner.within({ ignoresLineEnds: true, read });
  }

  private directive(): void {
    const scanner: HclScanner = this.scanner;
    const word = scanner.identifier();
    switch (word) {
      case 'else':
      case 'endif':
      case 'endfor':
        return;
      case 'if':
        return this.expression();
      case 'for':
        return this.loop();
      case undefined:
      default:
        scanner.fail('a template directive is one of if, else, endif, for, endfor');
    }
  }

  private loop(): void {
    const scanner: HclScanner = this.scanner;
    const name = (): void => {
      scanner.skip();
      if (scanner.identifier() === undefined) scanner.fail('a name is expected after for');
      scanner.skip();
    };
    name();
    if (scanner.take(',')) name();
    if (scanner.identifier() !== 'in') scanner.fail('for needs in');
    this.expression();
  }
}

/**
 * Does what strip markers say, so that none are left: of the piece of text next to them they take the white space, and
 * a piece of a heredoc ends with its line.
 */
function trimmed(parts: readonly TemplatePart[]): TemplatePart[] {
  if (!parts.some((part) => part.stripsBefore || part.stripsAfter)) return [...parts];
  const found = parts.map((part, index) => {
    if (part.kind !== 'text') return withoutMarkers(part);
    const start = parts[index - 1]?.stripsAfter ? part.text.trimStart() : part.text;
    return textPart(parts[index + 1]?.stripsBefore ? start.trimEnd() : start);
  });
  // One value among nothing but emptied text is still a string.
  const isString =
    parts.length > 1 && found.every((part) => part.text === '' || part.kind === 'interpolation');
  return isString ? [interpolationOf('""'), ...found] : found;
}

function withoutMarkers(part: TemplatePart): TemplatePart {
  const isInterpolation = part.kind === 'interpolation';
  const source = `${isInterpolation ? '$' : '%'}{${padded(part.text, { isInterpolation })}}`;
  return { ...part, source, stripsBefore: false, stripsAfter: false };
}

/** The template as one text, sequences as written. */
export function templateText(parts: readonly TemplatePart[]): string {
  return parts.map((part) => part.source).join('');
}

/** True when nothing in it is to be evaluated. */
export function isPlain(parts: readonly TemplatePart[]): boolean {
  return parts.every((part) => part.kind === 'text');
}

/** The value of a template without sequences. */
export function plainValue(text: string): string {
  return text.replace(/([$%])\1\{/g, '$1{');
}

function textPart(text: string): TemplatePart {
  return { kind: 'text', text, source: text, stripsBefore: false, stripsAfter: false };
}

function interpolationOf(text: string): TemplatePart {
  return { kind: 'interpolation', text, source: `\${${text}}`, stripsBefore: false, stripsAfter: false };
}

function lastText(parts: readonly TemplatePart[]): string {
  const last = parts.at(-1);
  return last?.kind === 'text' ? last.text : '';
}

/** Dollars right before `${` would make text of it. */
function addInterpolation(parts: TemplatePart[], text: string): void {
  const dollars = /\$+$/.exec(lastText(parts))?.[0];
  if (dollars) {
    parts[parts.length - 1] = textPart(lastText(parts).slice(0, -dollars.length));
    parts.push(interpolationOf(`"${dollars}"`));
  }
  parts.push(interpolationOf(text));
}

function addText(parts: TemplatePart[], text: string, mergeFrom = 0): void {
  const last = parts.length > mergeFrom ? parts.at(-1) : undefined;
  if (last?.kind === 'text' && !last.text.endsWith('\n'))
    parts[parts.length - 1] = textPart(last.text + text);
  else parts.push(textPart(text));
}

/** A space keeps a `~` that begins or ends the inside apart from a strip marker, and braces from braces. */
function padded(text: string, { isInterpolation }: { isInterpolation: boolean }): string {
  return isInterpolation ? text : ` ${text} `;
}

function unindented(parts: readonly TemplatePart[]): TemplatePart[] {
  const pieces: (HeredocPiece & { part: TemplatePart })[] = parts.map((part) => ({
    isText: part.kind === 'text',
    text: part.text,
    part,
  }));
  return withoutIndentation(pieces).map((piece, index) => {
    const part = parts[index] ?? textPart('');
    return part.kind === 'text' ? textPart(piece.text) : part;
  });
}
