import { existsSync, lstatSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join, posix } from 'node:path';
import { sha256 } from './canonical-json.js';
import { HclParser } from './hcl-parser.js';
import { HclSyntaxError } from './hcl-syntax-error.js';
import { plainValue } from './hcl-templates.js';
import type { FileCall } from './hcl-tree.js';
import type { ModuleCall } from './module-tree.js';

/** A file that an expression reads. */
export interface ConfigurationFileContent {
  /** relative to the root directory */
  filepath: string;
  module: string;
  /** base64; a note instead when the file stays on this machine (hidden, elsewhere, or too large): then it has not this hash */
  content: string;
  content_hash: string;
  mode: string;
}

/** Larger ones are not sent. */
const LARGEST_BYTES = 1024 * 1024;
const CONFIGURATION = /\.(?:tf|tofu|tfvars)(?:\.json)?$/;
const STATE = /\.tfstate/;

/** Everything that functions such as `file()` and `templatefile()` may read, once for each path. */
export function readFilesOf(root: string, modules: readonly ModuleCall[]): ConfigurationFileContent[] {
  const found = new Map<string, ConfigurationFileContent>();
  const seen = new Set<string>();
  for (const module of modules) {
    if (seen.has(module.directory)) continue;
    seen.add(module.directory);
    const calls = module.fileCalls.map((call) => ({ ...call, directory: module.directory }));
    for (const { name, args, directory } of calls) {
      const path = pathOf(args[0] ?? '', directory);
      const files =
        path === undefined || name === 'fileset' ? everythingBelow(root, path ?? directory) : [path];
      for (const file of files) {
        if (found.has(file)) continue;
        const content = contentOf(root, file, module.path);
        if (!content) continue;
        found.set(file, content);
        // What a template reads is relative to where Terraform runs.
        if (name === 'templatefile')
          calls.push(...callsOfTemplate(content).map((call) => ({ ...call, directory: '' })));
      }
    }
  }
  return [...found.values()];
}

/** Files that a template reads by itself. One that is no template fails when Terraform reads it. */
function callsOfTemplate({ content }: ConfigurationFileContent): FileCall[] {
  const parser = new HclParser(Buffer.from(content, 'base64').toString(), '');
  try {
    parser.wholeTemplate();
  } catch (error) {
    if (!(error instanceof HclSyntaxError)) throw error;
  }
  return parser.fileCalls;
}

/** The path an argument means, relative to the root; undefined when only Terraform can tell. Absolute ones stay so. */
function pathOf(argument: string, directory: string): string | undefined {
  const parser = new HclParser(argument, '');
  const module = directory === '' ? '.' : directory;
  const word = (text: string): string | undefined =>
    text === 'path.module' ? module : text === 'path.root' ? '.' : undefined;
  const whole = word(argument);
  if (whole !== undefined) return normalized(whole);
  try {
    const expression = parser.wholeExpression();
    if (expression.kind !== 'template') return undefined;
    const parts = new HclParser(expression.text, '').wholeTemplate();
    const texts = parts.map((part) => (part.kind === 'text' ? plainValue(part.text) : word(part.text)));
    return texts.includes(undefined) ? undefined : normalized(texts.join(''));
  } catch (error) {
    if (error instanceof HclSyntaxError) return undefined;
    throw error;
  }
}

function normalized(path: string): string {
  const found = posix.normalize(path).replace(/\/$/, '');
  return found === '.' ? '' : found;
}

/** Plain files below a directory: no hidden ones, no state, no configuration. */
function everythingBelow(root: string, directory: string): string[] {
  if (isElsewhere(directory) || !existsSync(join(root, directory))) return [];
  return readdirSync(join(root, directory), { withFileTypes: true })
    .filter(
      (entry) => !entry.name.startsWith('.') && !CONFIGURATION.test(entry.name) && !STATE.test(entry.name),
    )
    .flatMap((entry) => {
      const path = directory === '' ? entry.name : `${directory}/${entry.name}`;
      if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : everythingBelow(root, path);
      return entry.isFile() && lstatSync(join(root, path)).size <= LARGEST_BYTES ? [path] : [];
    });
}

function contentOf(root: string, filepath: string, module: string): ConfigurationFileContent | undefined {
  const path = placeOf(root, filepath);
  if (filepath === '' || !existsSync(path)) return undefined;
  const stat = statSync(path);
  if (!stat.isFile()) return undefined;
  const bytes = readFileSync(path);
  const hash = sha256(bytes);
  const isHidden =
    filepath.split('/').some((name) => name.startsWith('.') && name !== '..') || STATE.test(filepath);
  return {
    filepath,
    module,
    content:
      isHidden || isElsewhere(filepath) || stat.size > LARGEST_BYTES
        ? noteOf(hash)
        : bytes.toString('base64'),
    content_hash: hash,
    mode: (stat.mode & 0o777).toString(8).padStart(4, '0'),
  };
}

/** It differs when the file differs, so that the service sees the change. */
function noteOf(hash: string): string {
  return Buffer.from(`not sent; SHA-256 ${hash}\n`).toString('base64');
}

function placeOf(root: string, filepath: string): string {
  if (filepath.startsWith('~/')) return join(homedir(), filepath.slice(2));
  return isElsewhere(filepath) ? filepath : join(root, filepath);
}

/** Such a path means the same file wherever Terraform runs on this machine, and stays there. */
export function isElsewhere(path: string): boolean {
  return isAbsolute(path) || path.startsWith('~');
}
