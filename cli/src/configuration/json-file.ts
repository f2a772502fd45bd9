import { type Json, put, TOP_LABELS } from './block-data.rules.js';
import { blockName, type ConfigurationBlock, isObject } from './configuration-block.js';
import type { ConfigurationFile } from './hcl-file.js';
import { HclParser } from './hcl-parser.js';
import { HclSyntaxError } from './hcl-syntax-error.js';
import type { FileCall } from './hcl-tree.js';
import { type JsonLines, jsonLines } from './json-lines.js';

/** Reads a `.tf.json` file; its bodies stay as they are. */
export function readJsonFile(text: string, file: string): ConfigurationFile {
  const root = parseJson(text, file);
  if (!isObject(root)) throw new HclSyntaxError(file, 1, 'a configuration in JSON is an object');
  const lines = jsonLines(text);
  const blocks: ConfigurationBlock[] = [];
  for (const [kind, value] of Object.entries(root)) {
    if (kind === '//') continue;
    const count = TOP_LABELS[kind];
    if (count === undefined)
      throw new HclSyntaxError(file, lines.linesAt([kind]).start, `there are no ${kind} blocks`);
    const where = { file, kind, lines };
    if (kind === 'terraform') {
      const at = lines.linesAt([kind]);
      const bodies = (Array.isArray(value) ? value : [value]).filter(isObject);
      blocks.push({
        kind,
        labels: [],
        body: bodies,
        name: `terraform@${file}`,
        file,
        startLine: at.start,
        endLine: at.end,
      });
    } else blocks.push(...blocksIn(value, { depth: count, labels: [], path: [kind], where }));
  }
  return { blocks, fileCalls: fileCallsIn(root, file) };
}

interface Where {
  file: string;
  kind: string;
  lines: JsonLines;
}

/** Every level may be an object or a list of objects. */
function blocksIn(
  value: Json,
  {
    depth,
    labels,
    path,
    where,
  }: { depth: number; labels: string[]; path: (string | number)[]; where: Where },
): ConfigurationBlock[] {
  const { file, kind, lines } = where;
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => blocksIn(item, { depth, labels, path: [...path, index], where }));
  }
  const at = lines.linesAt(path);
  if (!isObject(value)) throw new HclSyntaxError(file, at.start, `a ${kind} block is an object`);
  if (depth > 0) {
    return Object.entries(value)
      .filter(([name]) => name !== '//')
      .flatMap(([name, inside]) =>
        blocksIn(inside, { depth: depth - 1, labels: [...labels, name], path: [...path, name], where }),
      );
  }
  const one = (body: Json, lineRange: { start: number; end: number }): ConfigurationBlock => ({
    kind,
    labels,
    body,
    name: blockName(kind, labels, body, file),
    file,
    startLine: lineRange.start,
    endLine: lineRange.end,
  });
  if (kind !== 'locals') return [one(value, at)];
  return Object.entries(value)
    .filter(([name]) => name !== '//')
    .map(([name, local]) => one(put({}, name, local), lines.linesAt([...path, name])));
}

export function parseJson(text: string, file: string): Json {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, '')) as Json;
  } catch (error) {
    const message = error instanceof Error ? error.message : '';
    const position = /position (\d+)/.exec(message)?.[1];
    const line = text.slice(0, Number(position ?? text.length)).split('\n').length;
    throw new HclSyntaxError(file, line, 'this is no JSON');
  }
}

/** Texts that are no templates are left to Terraform to complain about. */
function fileCallsIn(value: Json, file: string): FileCall[] {
  if (typeof value === 'string') {
    if (!value.includes('{')) return [];
    const parser = new HclParser(value, file);
    try {
      parser.wholeTemplate();
    } catch (error) {
      if (!(error instanceof HclSyntaxError)) throw error;
    }
    return parser.fileCalls;
  }
  if (Array.isArray(value)) return value.flatMap((item) => fileCallsIn(item, file));
  return isObject(value) ? Object.values(value).flatMap((item) => fileCallsIn(item, file)) : [];
}
