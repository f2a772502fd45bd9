import type { Json } from './block-data.rules.js';
import { BlockCache, type KnownBlock } from './block-cache.js';
import { canonicalJson, sha256 } from './canonical-json.js';
import { blockData, type ConfigurationBlock } from './configuration-block.js';
import { type ConfigurationFile, joinTerraform, readHclFile } from './hcl-file.js';
import { HclSyntaxError } from './hcl-syntax-error.js';
import type { FileCall } from './hcl-tree.js';

/** Where a block ends in a formatted file. */
const END = '\n}\n';
/** Smaller files are parsed faster than they are looked up. */
const SMALLEST = 16_384;

/**
 * Reads a file piece by piece, a block each, those that are known without parsing them. A piece that parses by itself
 * begins and ends outside of every block, so all of them together are the file; where one does not, the whole is parsed.
 */
export function readPieces(
  text: string,
  file: string,
  cache: BlockCache,
  smallest = SMALLEST,
): ConfigurationFile {
  if (text.length < smallest || text.includes('\r')) return readHclFile(text, file);
  try {
    const blocks: ConfigurationBlock[] = [];
    const fileCalls: FileCall[] = [];
    let line = 1;
    for (let from = 0; from < text.length;) {
      const end = text.indexOf(END, from);
      const piece = text.slice(from, end === -1 ? text.length : end + END.length);
      const found = readPiece(piece, file, line, cache);
      blocks.push(...found.blocks);
      fileCalls.push(...found.fileCalls);
      from += piece.length;
      line += linesIn(piece);
    }
    return { blocks: joinTerraform(blocks), fileCalls };
  } catch (error) {
    if (error instanceof HclSyntaxError) return readHclFile(text, file);
    throw error;
  }
}

function readPiece(piece: string, file: string, line: number, cache: BlockCache): ConfigurationFile {
  const key = BlockCache.keyOf(piece);
  const known = cache.get(key);
  if (known) return { blocks: [new KnownPiece(known, piece, file, line)], fileCalls: [] };
  const found = readHclFile(piece, file, line);
  const [block, ...others] = found.blocks;
  const isPlain = block && others.length === 0 && found.fileCalls.length === 0;
  if (!isPlain || (block.kind !== 'resource' && block.kind !== 'data')) return found;
  const { kind, labels, startLine, endLine } = block;
  const hash = sha256(canonicalJson(blockData(block)));
  cache.set(key, { kind, labels, startLine: startLine - line, endLine: endLine - line, hash });
  return { blocks: [{ ...block, hash }], fileCalls: [] };
}

/** A block that was read before; its body is read again when somebody asks for it. */
class KnownPiece implements ConfigurationBlock {
  readonly kind: string;
  readonly labels: string[];
  readonly name: string;
  readonly startLine: number;
  readonly endLine: number;
  readonly hash: string;
  readonly #piece: string;
  readonly #line: number;

  constructor(
    { kind, labels, startLine, endLine, hash }: KnownBlock,
    piece: string,
    readonly file: string,
    line: number,
  ) {
    this.kind = kind;
    this.labels = labels;
    this.name = kind === 'data' ? `data.${labels.join('.')}` : labels.join('.');
    this.startLine = startLine + line;
    this.endLine = endLine + line;
    this.hash = hash;
    this.#piece = piece;
    this.#line = line;
  }

  get body(): Json {
    return readHclFile(this.#piece, this.file, this.#line).blocks[0]?.body ?? {};
  }
}

function linesIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count++;
  return count;
}
