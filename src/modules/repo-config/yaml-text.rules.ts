import {
  isCollection,
  isMap,
  isNode,
  isPair,
  isScalar,
  Lexer,
  LineCounter,
  type Node,
  parseDocument,
  Parser,
} from 'yaml';
import { InvalidRepoConfig } from './repo-config.errors.js';

export const MAX_CONFIG_BYTES = 256 * 1024;
/** Anchors are for repeating a block a few times; more is an expansion attack. */
const MAX_ALIASES = 100;
/** The library reads nested values recursively: thousands of levels would end the process. */
const MAX_DEPTH = 100;

/** Where the values of a file stand in it. */
export interface YamlText {
  file: string;
  lines: LineCounter;
  root: Node | null;
}

/** Reads a file that anybody may have written, in time that is linear in its size. Throws `InvalidRepoConfig`. */
export function readYaml(text: string, file: string): { value: unknown; parsing: YamlText } {
  const lines = new LineCounter();
  const refuse = (message: string, offset = 0): never => {
    const line = offset === 0 ? 1 : lines.linePos(offset).line;
    throw new InvalidRepoConfig([{ file, line, key: 'file', message }]);
  };
  if (Buffer.byteLength(text) > MAX_CONFIG_BYTES) refuse(`must not exceed ${MAX_CONFIG_BYTES} bytes`);
  if (isTooDeep(text)) refuse(`must not nest more than ${MAX_DEPTH} levels`);
  const document = parseDocument(text, {
    lineCounter: lines,
    customTags: [],
    schema: 'core',
    // The library compares each key with all before it.
    uniqueKeys: false,
    prettyErrors: false,
  });
  const problem = document.errors[0] ?? document.warnings[0];
  if (problem) refuse(firstLine(problem.message), problem.pos[0]);
  const repeated = repeatedKeyIn(document.contents);
  if (repeated) refuse('Map keys must be unique', repeated.range?.[0]);
  try {
    const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES }) ?? {};
    return { value, parsing: { file, lines, root: document.contents } };
  } catch (error) {
    if (error instanceof ReferenceError) return refuse(`must not expand more than ${MAX_ALIASES} aliases`);
    return refuse(firstLine(error instanceof Error ? error.message : ''));
  }
}

/** The syntax is read without recursion. */
function isTooDeep(text: string): boolean {
  const parser = new Parser();
  for (const token of new Lexer().lex(text)) {
    Array.from(parser.next(token));
    if (parser.stack.length > MAX_DEPTH) return true;
  }
  return false;
}

function repeatedKeyIn(root: Node | null): Node | undefined {
  const left: unknown[] = [root];
  for (let node = left.pop(); left.length > 0 || node; node = left.pop()) {
    if (!isCollection(node)) continue;
    const seen = new Set<unknown>();
    for (const item of node.items) {
      if (!isPair(item)) {
        left.push(item);
        continue;
      }
      const { key, value } = item;
      if (isMap(node) && isScalar(key)) {
        if (seen.has(key.value)) return key;
        seen.add(key.value);
      }
      left.push(key, value);
    }
  }
  return undefined;
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? text;
}

/** A path as people write it, such as `dirs.app.depends_on[0]`. */
export function keyName(path: readonly PropertyKey[]): string {
  if (path.length === 0) return 'file';
  return path
    .map((part, index) => (typeof part === 'number' ? `[${part}]` : `${index ? '.' : ''}${String(part)}`))
    .join('');
}

/** Line of the deepest node of the path that the file has. */
export function lineOf({ root, lines }: YamlText, path: readonly PropertyKey[]): number {
  let node: unknown = root;
  let offset = 0;
  for (const part of path) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(part));
      if (!pair) break;
      if (isNode(pair.key) && pair.key.range) offset = pair.key.range[0];
      node = pair.value;
    } else if (isNode(node) && 'items' in node) {
      node = (node as { items: unknown[] }).items[Number(part)];
      if (isNode(node) && node.range) offset = node.range[0];
    } else break;
  }
  return lines.linePos(offset).line;
}
