import { BlockData, type Json, put, TOP_LABELS } from './block-data.rules.js';
import { blockName, type ConfigurationBlock } from './configuration-block.js';
import { HclParser } from './hcl-parser.js';
import type { FileCall, HclBlock } from './hcl-tree.js';

/** What one file holds. */
export interface ConfigurationFile {
  blocks: ConfigurationBlock[];
  fileCalls: FileCall[];
}

/** Reads a `.tf` file, or text of one that begins on this line; `file` is its path relative to the root directory. */
export function readHclFile(text: string, file: string, firstLine = 1): ConfigurationFile {
  const parser = new HclParser(text, file, firstLine);
  const { attributes, blocks } = parser.file();
  const [argument] = attributes;
  if (argument) parser.fail('only blocks stand at the top of a file', argument.start);
  const data = new BlockData(parser);
  const found: ConfigurationBlock[] = [];
  const terraform: { bodies: Json[]; first: HclBlock | undefined } = { bodies: [], first: undefined };
  for (const block of blocks) {
    const { type, labels, body, start, end } = block;
    if (labels.length !== TOP_LABELS[type]) {
      parser.fail(
        TOP_LABELS[type] === undefined
          ? `there are no ${type} blocks`
          : `a ${type} block has ${TOP_LABELS[type]} labels`,
        start,
      );
    }
    const lines = { startLine: parser.lineAt(start), endLine: parser.lineAt(end) };
    if (type === 'terraform') {
      terraform.first ??= block;
      terraform.bodies.push(data.body(body, [type]));
    } else if (type === 'locals') {
      for (const { name, value } of body.attributes) {
        const local = put({}, name, data.value(value));
        const at = { startLine: parser.lineAt(value.start), endLine: parser.lineAt(value.end) };
        found.push({ kind: type, labels, body: local, file, name: `local.${name}`, ...at });
      }
    } else {
      const value = data.body(body, [type]);
      found.push({
        kind: type,
        labels,
        body: value,
        file,
        name: blockName(type, labels, value, file),
        ...lines,
      });
    }
  }
  if (terraform.first) found.push(terraformBlock(parser, terraform.bodies, terraform.first, file));
  return { blocks: found, fileCalls: parser.fileCalls };
}

/** All `terraform` blocks of a file are one. */
function terraformBlock(
  parser: HclParser,
  bodies: Json[],
  first: HclBlock,
  file: string,
): ConfigurationBlock {
  return {
    kind: 'terraform',
    labels: [],
    body: bodies,
    name: `terraform@${file}`,
    file,
    startLine: parser.lineAt(first.start),
    endLine: parser.lineAt(first.end),
  };
}

/** Brings the `terraform` blocks of the pieces of one file together. */
export function joinTerraform(blocks: readonly ConfigurationBlock[]): ConfigurationBlock[] {
  const own = blocks.filter(({ kind }) => kind === 'terraform');
  const [first] = own;
  if (!first || own.length === 1) return [...blocks];
  const body = own.flatMap((block) => (Array.isArray(block.body) ? block.body : []));
  return [...blocks.filter(({ kind }) => kind !== 'terraform'), { ...first, body }];
}
