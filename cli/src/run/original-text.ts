import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json, JsonObject } from '../configuration/block-data.rules.js';
import { canonicalJson } from '../configuration/canonical-json.js';
import type { ConfigurationNode } from '../configuration/configuration.js';
import { blockName, isObject } from '../configuration/configuration-block.js';
import { readHclFile } from '../configuration/hcl-file.js';
import { HclParser } from '../configuration/hcl-parser.js';
import { HclSyntaxError } from '../configuration/hcl-syntax-error.js';
import type { BundleBlock } from './bundle.js';
import { unwrapped } from './module-places.rules.js';

/** Where a block stands in the user's file. */
export interface OriginalBlock {
  /** counts from one */
  startLine: number;
  /** the lines of the block as they were written; undefined where the file now says something else than the block */
  text: string | undefined;
}

/**
 * The user's files, for writing a block back at its line and in its own words: what Terraform then says of `main.tf`,
 * line 12, is true of the user's file, too.
 */
export class OriginalTexts {
  private readonly nodes: ReadonlyMap<string, ConfigurationNode>;
  private readonly files = new Map<string, string[] | undefined>();

  constructor(
    private readonly home: string,
    nodes: readonly ConfigurationNode[],
  ) {
    this.nodes = new Map(nodes.map((node) => [node.key, node]));
  }

  /** Undefined for a block that the configuration here does not have. */
  find({ file, module, data }: BundleBlock): OriginalBlock | undefined {
    const { kind, labels, body } = unwrapped(data);
    const name = blockName(kind, labels, body, file);
    const lines = this.nodes.get(module === '' ? name : `${module}.${name}`)?.lines;
    if (lines === undefined || lines.file !== file) return undefined;
    const text = this.linesOf(file)
      ?.slice(lines.start - 1, lines.end)
      .join('\n');
    const isSame = text !== undefined && saysSame(text, file, { kind, data });
    return { startLine: lines.start, text: isSame ? text : undefined };
  }

  private linesOf(file: string): string[] | undefined {
    if (!this.files.has(file)) this.files.set(file, readLines(join(this.home, file)));
    return this.files.get(file);
  }
}

function readLines(path: string): string[] | undefined {
  try {
    return readFileSync(path, 'utf8').split('\n');
  } catch {
    return undefined;
  }
}

/** The file may have been changed since it was read: only what is exactly the block counts. */
function saysSame(text: string, file: string, { kind, data }: { kind: string; data: JsonObject }): boolean {
  try {
    const { blocks } = readHclFile(kind === 'locals' ? `locals {\n${text}\n}` : text, file);
    const [found, ...others] = blocks;
    if (!found || others.length > 0 || found.kind !== kind) return false;
    const { labels, body } = unwrapped(data);
    return canonicalJson([found.labels, found.body]) === canonicalJson([labels, withoutComment(body)]);
  } catch (error) {
    if (error instanceof HclSyntaxError) return false;
    throw error;
  }
}

/** What the client adds to the declaration of a sensitive variable. */
function withoutComment(body: Json | undefined): Json {
  if (!isObject(body) || !Object.hasOwn(body, '//')) return body ?? null;
  const { '//': _comment, ...rest } = body;
  return rest;
}

/** Arguments of a block to replace by a string, or to remove (`undefined`). */
export type ArgumentChanges = Readonly<Record<string, string | undefined>>;

/** The text of one block with other arguments, and `path.module` as this directory; no line moves. */
export function changedText(
  text: string,
  { changes, directory }: { changes: ArgumentChanges; directory: string | undefined },
): string {
  const parser = new HclParser(text, '');
  const { blocks } = parser.file();
  const edits: Edit[] = [];
  for (const { name, value, start } of blocks[0]?.body.attributes ?? []) {
    if (!Object.hasOwn(changes, name)) continue;
    const to = changes[name];
    edits.push(
      to === undefined
        ? { start, end: value.end, to: '' }
        : { start: value.start, end: value.end, to: quoted(to) },
    );
  }
  if (directory !== undefined)
    for (const { start, end } of parser.modulePaths)
      if (!edits.some((edit) => start >= edit.start && end <= edit.end))
        edits.push({ start, end, to: quoted(directory === '' ? '.' : directory) });
  return edited(text, edits);
}

interface Edit {
  start: number;
  end: number;
  to: string;
}

function edited(text: string, edits: readonly Edit[]): string {
  let result = '';
  let from = 0;
  for (const { start, end, to } of edits.toSorted((a, b) => a.start - b.start)) {
    const removedLines = text.slice(start, end).split('\n').length - 1;
    result += text.slice(from, start) + to + '\n'.repeat(removedLines);
    from = end;
  }
  return result + text.slice(from);
}

function quoted(text: string): string {
  return JSON.stringify(text).replace(/[$%](?=\{)/g, (sign) => sign + sign);
}
