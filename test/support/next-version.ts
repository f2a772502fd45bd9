import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';

const ROOT = join(__dirname, '..', '..');
const TEXT = new Set(['.js', '.css', '.html', '.json']);
const HASHED = /-[\w-]{4}(?=[\w-]{4}\.\w+$)/;
/** In the name of every part of the next version. */
export const NEXT = '-next';

/** The built service with a console of the next version: the same pages in parts of other names. */
export function nextVersion(): { root: string; remove: () => void } {
  const root = mkdtempSync(join(tmpdir(), 'next-version-'));
  cpSync(join(ROOT, 'dist'), join(root, 'dist'), { recursive: true });
  for (const name of ['node_modules', 'migrations', 'package.json', 'docs'])
    symlinkSync(join(ROOT, name), join(root, name));
  const [from, to] = [join(ROOT, 'console', 'dist'), join(root, 'console', 'dist')];
  mkdirSync(join(to, 'assets'), { recursive: true });
  const names = readdirSync(join(from, 'assets')).filter((name) => !/\.(?:br|gz)$/.test(name));
  const renamed = new Map(names.map((name) => [name, name.replace(HASHED, NEXT)]));
  const rename = (text: string): string =>
    text.replace(/[\w.-]+-[\w-]{8}\.\w+/g, (name) => renamed.get(name) ?? name);
  for (const [name, next] of renamed) {
    const bytes = readFileSync(join(from, 'assets', name));
    writeFileSync(join(to, 'assets', next), TEXT.has(extname(name)) ? rename(bytes.toString()) : bytes);
  }
  writeFileSync(join(to, 'index.html'), rename(readFileSync(join(from, 'index.html'), 'utf8')));
  return { root, remove: () => rmSync(root, { recursive: true, force: true }) };
}
