import { existsSync, readFileSync, statSync } from 'node:fs';
import { isAbsolute, join, posix, relative, resolve, sep } from 'node:path';
import { type ConfigurationBlock, isObject } from './configuration-block.js';
import { HclSyntaxError } from './hcl-syntax-error.js';
import { type ModuleDirectory, readModuleDirectory, type Reading } from './module-directory.js';

/** A module as it is called: the call path without keys ("" is the root) and what its directory holds. */
export interface ModuleCall extends ModuleDirectory {
  /** `module.net.module.sub` */
  path: string;
  /** relative to the root directory; "" is the root itself */
  directory: string;
}

const DEEPEST = 100;

/** The root module and everything it calls, called twice counted twice. `dataDirectory` is Terraform's, mostly `.terraform`. */
export function readModules(root: string, dataDirectory = '.terraform', reading: Reading = {}): ModuleCall[] {
  const installed = installedModules(root, dataDirectory);
  const directories = new Map<string, ModuleDirectory>();
  const read = (directory: string): ModuleDirectory => {
    const known = directories.get(directory);
    if (known) return known;
    const found = readModuleDirectory(root, directory, reading);
    directories.set(directory, found);
    return found;
  };
  const found: ModuleCall[] = [];
  const visit = (directory: string, names: readonly string[]): void => {
    const content = read(directory);
    found.push({ ...content, path: names.map((name) => `module.${name}`).join('.'), directory });
    for (const call of content.blocks) {
      if (call.kind !== 'module') continue;
      const [name = ''] = call.labels;
      const inside = [...names, name];
      if (inside.length > DEEPEST)
        throw new HclSyntaxError(call.file, call.startLine, 'modules call each other without end');
      visit(directoryOf(root, directory, call, installed.get(inside.join('.'))), inside);
    }
  };
  visit('', []);
  return found;
}

function directoryOf(
  root: string,
  caller: string,
  call: ConfigurationBlock,
  installed: string | undefined,
): string {
  const source = isObject(call.body) ? call.body['source'] : undefined;
  const problem = (text: string): never => {
    throw new HclSyntaxError(call.file, call.startLine, text);
  };
  if (typeof source !== 'string' || source.includes('${'))
    return problem(`${call.name} needs a source, a plain string`);
  if (!source.startsWith('./') && !source.startsWith('../') && source !== '.' && source !== '..') {
    return installed ?? problem(`${call.name} is not installed: run terraform init`);
  }
  const directory = posix.join(caller, source).replace(/\/$/, '');
  const found = directory === '.' ? '' : directory;
  if (!isDirectory(join(root, found))) return problem(`${call.name}: there is no directory ${source}`);
  return found;
}

/** What `terraform init` put where: keys are call paths (`net.sub`), values directories relative to the root. */
function installedModules(root: string, dataDirectory: string): Map<string, string> {
  const manifest = resolve(root, dataDirectory, 'modules', 'modules.json');
  if (!existsSync(manifest)) return new Map();
  const { Modules: modules } = JSON.parse(readFileSync(manifest, 'utf8')) as {
    Modules?: { Key: string; Dir: string }[];
  };
  return new Map(
    (modules ?? []).map(({ Key: key, Dir: directory }) => {
      const path = isAbsolute(directory) ? relative(root, directory) : directory;
      return [key, posix.normalize(path.split(sep).join('/'))];
    }),
  );
}

function isDirectory(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory();
}
