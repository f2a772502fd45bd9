import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BlockCache } from './block-cache.js';
import type { ConfigurationBlock } from './configuration-block.js';
import { type ConfigurationFile, readHclFile } from './hcl-file.js';
import { readPieces } from './hcl-pieces.js';
import { HclSyntaxError } from './hcl-syntax-error.js';
import type { FileCall } from './hcl-tree.js';
import { readJsonFile } from './json-file.js';
import { isOverride, withOverrides } from './override.rules.js';

/** All configuration files of one directory, override files merged in. */
export interface ModuleDirectory {
  blocks: ConfigurationBlock[];
  fileCalls: FileCall[];
  /** a directory without any is no module */
  hasFiles: boolean;
}

/** How files are read. */
export interface Reading {
  /** speeds up reading what was read before */
  cache?: BlockCache | undefined;
  /** as OpenTofu would, which also reads `.tofu` files, and those instead of a `.tf` file of the same name */
  asTofu?: boolean | undefined;
}

/** `directory` is relative to `root`, with slashes; "" is the root itself. */
export function readModuleDirectory(
  root: string,
  directory: string,
  { cache, asTofu = false }: Reading = {},
): ModuleDirectory {
  const files = configurationFiles(join(root, directory), { asTofu }).map((name) => {
    const file = directory === '' ? name : `${directory}/${name}`;
    return { file, content: readFile(readFileSync(join(root, file), 'utf8'), file, cache) };
  });
  const blocks = files.filter(({ file }) => !isOverride(file)).flatMap(({ content }) => content.blocks);
  refuseDuplicates(blocks);
  const overrides = files.filter(({ file }) => isOverride(file)).flatMap(({ content }) => content.blocks);
  return {
    blocks: withOverrides(blocks, overrides),
    fileCalls: files.flatMap(({ content }) => content.fileCalls),
    hasFiles: files.length > 0,
  };
}

function readFile(text: string, file: string, cache: BlockCache | undefined): ConfigurationFile {
  if (file.endsWith('.json')) return readJsonFile(text, file);
  return cache ? readPieces(text, file, cache) : readHclFile(text, file);
}

/** The names Terraform or OpenTofu would read, in its order; editors' left-overs are none. */
function configurationFiles(directory: string, { asTofu }: { asTofu: boolean }): string[] {
  const kinds = asTofu ? /\.(?:tf|tofu)(?:\.json)?$/ : /\.tf(?:\.json)?$/;
  const names = readdirSync(directory, { withFileTypes: true })
    .filter((entry) => !entry.isDirectory() && kinds.test(entry.name))
    .map((entry) => entry.name)
    .filter((name) => !name.startsWith('.') && !name.startsWith('#') && !name.endsWith('~'));
  const hidden = new Set(
    asTofu ? names.filter(isTofu).map((name) => name.replace(/\.tofu(?=$|\.json$)/, '.tf')) : [],
  );
  return names.filter((name) => !hidden.has(name)).sort();
}

function isTofu(name: string): boolean {
  return /\.tofu(?:\.json)?$/.test(name);
}

function refuseDuplicates(blocks: readonly ConfigurationBlock[]): void {
  const seen = new Map<string, ConfigurationBlock>();
  for (const block of blocks) {
    const before = seen.get(block.name);
    if (before) {
      throw new HclSyntaxError(
        block.file,
        block.startLine,
        `${block.name} was already declared at ${before.file}:${before.startLine}`,
      );
    }
    seen.set(block.name, block);
  }
}
