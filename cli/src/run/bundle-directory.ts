import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import type { Json, JsonObject } from '../configuration/block-data.rules.js';
import { sha256 } from '../configuration/canonical-json.js';
import { blockData, isObject } from '../configuration/configuration-block.js';
import { type ConfigurationFileContent, isElsewhere } from '../configuration/read-files.js';
import type { Bundle, BundleBlock } from './bundle.js';
import { HclPrinter, rewritten } from './hcl-printer.js';
import {
  levelsAbove,
  localSource,
  modulePlaces,
  type ModulePlace,
  unwrapped,
} from './module-places.rules.js';
import { changedText, type OriginalTexts } from './original-text.js';
import { withPathModule } from './path-module.rules.js';
import { placedLines, type PlacedPiece } from './placed-lines.js';

const PRIVATE_FILE = { mode: 0o600 };

/**
 * Writes a bundle as a configuration that Terraform can run: every module in the directory it came from, so that
 * `path.module` is what it always was, the state beside it. Answers the root directory of the run, which lies deep
 * enough in `base` for modules and files above it. `home` is the user's directory; with `originals` every block stands at
 * the line of its own file.
 */
export function writeBundle(
  bundle: Bundle,
  base: string,
  { home, originals }: { home: string; originals?: OriginalTexts | undefined },
): string {
  const places = modulePlaces(bundle.hcl);
  const levels = levelsAbove([
    ...bundle.hcl.map(({ file }) => file),
    ...bundle.files.map(({ filepath }) => filepath),
  ]);
  const root = join(base, ...Array.from({ length: levels + 1 }, () => 'run'));
  mkdirSync(root, { recursive: true });
  for (const { directory } of places.values()) mkdirSync(join(root, directory), { recursive: true });
  // Terraform refuses a directory without configuration, and a module with none.
  for (const { directory } of places.values())
    writeFileSync(join(root, directory, 'infrastate.tf'), '', PRIVATE_FILE);
  writeBlocks(bundle.hcl, places, { root, originals });
  writeManifest(places, root);
  for (const file of bundle.files) if (!isElsewhere(file.filepath)) writeFile(file, root, home);
  writeFileSync(join(root, 'terraform.tfstate'), bundle.state, PRIVATE_FILE);
  return root;
}

function writeBlocks(
  blocks: readonly BundleBlock[],
  places: ReadonlyMap<string, ModulePlace>,
  { root, originals }: { root: string; originals: OriginalTexts | undefined },
): void {
  const files = new Map<string, { place: ModulePlace; name: string; blocks: BundleBlock[] }>();
  for (const block of blocks) {
    const place = places.get(block.module);
    if (!place) continue;
    // Under a name that both Terraform and OpenTofu read.
    const name = posix.basename(block.file).replace(/\.tofu(\.json)?$/, '.tf$1');
    const key = JSON.stringify([block.module, name]);
    const file = files.get(key) ?? { place, name, blocks: [] };
    file.blocks.push(block);
    files.set(key, file);
  }
  for (const { place, name, blocks: own } of files.values()) {
    const local = own.map((block): Prepared => {
      const { kind, labels, body } = unwrapped(block.data);
      const source = sourceOf(kind, labels, { place, places });
      return { kind, labels, body: withSource(kind, body, source), source, block };
    });
    writeFileSync(
      join(root, place.directory, name),
      name.endsWith('.json') ? asJson(local, place) : asHcl(local, place, originals),
      PRIVATE_FILE,
    );
  }
}

interface Prepared {
  kind: string;
  labels: string[];
  body: Json;
  /** of a module call: where the called module was written */
  source: string | undefined;
  block: BundleBlock;
}

function asHcl(
  blocks: readonly Prepared[],
  place: ModulePlace,
  originals: OriginalTexts | undefined,
): string {
  const rewrite =
    place.directory === place.origin ? undefined : (source: string) => withPathModule(source, place.origin);
  const printer = new HclPrinter(rewrite);
  return placedLines(
    blocks.map((prepared): PlacedPiece => {
      const { kind, labels, body, source, block } = prepared;
      const isLocal = kind === 'locals';
      const original = originals?.find(block);
      if (original?.text !== undefined && kind !== 'terraform') {
        const text = ownText(original.text, { place, source, isLocal });
        return { startLine: original.startLine, text, isLocal };
      }
      const bodies = Array.isArray(body) ? body : [body];
      const text = bodies.map((one) => printer.block(kind, labels, one)).join('\n');
      // The first line is the header, not the value of the local.
      const startLine = original && (isLocal ? original.startLine - 1 : original.startLine);
      return { startLine, text: text.trimEnd(), isLocal: false };
    }),
  );
}

/** The user's words, with what has to be different in the directory of the run. */
function ownText(
  text: string,
  { place, source, isLocal }: { place: ModulePlace; source: string | undefined; isLocal: boolean },
): string {
  const directory = place.directory === place.origin ? undefined : place.origin;
  if (source === undefined && directory === undefined) return text;
  const changes = source === undefined ? {} : { source, version: undefined };
  if (!isLocal) return changedText(text, { changes, directory });
  const [header, footer] = ['locals {\n', '\n}'];
  return changedText(header + text + footer, { changes, directory }).slice(header.length, -footer.length);
}

/** JSON of one's own stays as it is: only its author knows whether a list of objects means blocks. */
function asJson(blocks: readonly Prepared[], place: ModulePlace): string {
  const data: Json[] = blocks.map(blockData);
  if (place.directory === place.origin) return JSON.stringify(data);
  return JSON.stringify(rewritten(data, (source) => withPathModule(source, place.origin)));
}

/** Where a module call leads: to the directory that is written here. */
function sourceOf(
  kind: string,
  labels: readonly string[],
  { place, places }: { place: ModulePlace; places: ReadonlyMap<string, ModulePlace> },
): string | undefined {
  if (kind !== 'module') return undefined;
  const called = places.get(place.path === '' ? `module.${labels[0]}` : `${place.path}.module.${labels[0]}`);
  return localSource(place.directory, called?.directory ?? '');
}

/** Backends are for whole states, not for parts of one. */
function withSource(kind: string, body: Json, source: string | undefined): Json {
  if (kind === 'terraform') return (Array.isArray(body) ? body : [body]).filter(isObject).map(withoutBackend);
  if (source === undefined || !isObject(body)) return body;
  const { version: _version, ...rest } = body;
  return { ...rest, source };
}

function withoutBackend(body: JsonObject): JsonObject {
  const { backend: _backend, cloud: _cloud, ...rest } = body;
  return rest;
}

/** What `terraform get` would have written. */
function writeManifest(places: ReadonlyMap<string, ModulePlace>, root: string): void {
  const modules = [...places.values()].map(({ path, directory }) => {
    const caller = places.get(path.split('.').slice(0, -2).join('.'));
    return {
      Key: path.replace(/(^|\.)module\./g, '$1'),
      Source: path === '' ? '' : localSource(caller?.directory ?? '', directory),
      Dir: directory === '' ? '.' : directory,
    };
  });
  mkdirSync(join(root, '.terraform', 'modules'), { recursive: true });
  writeFileSync(join(root, '.terraform', 'modules', 'modules.json'), JSON.stringify({ Modules: modules }));
}

/** A file that stayed on this machine is taken from where it lies, if it still is what was planned with. */
function writeFile(
  { filepath, content, content_hash: hash, mode }: ConfigurationFileContent,
  root: string,
  home: string,
): void {
  const target = join(root, filepath);
  let bytes = Buffer.from(content, 'base64');
  if (sha256(bytes) !== hash) {
    const own = join(home, filepath);
    if (!existsSync(own) || !statSync(own).isFile()) return;
    bytes = readFileSync(own);
  }
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, bytes, { mode: Number.parseInt(mode, 8) & 0o700 || 0o600 });
}
