import { posix } from 'node:path';

/** The point that stands for one file: `file:modules/net/a.json`. */
export function filePoint(filepath: string): string {
  return `file:${posix.normalize(filepath)}`;
}

/** The points of the directories a file stands in, from the root directory (`dir:`) on. */
export function directoryPoints(filepath: string): string[] {
  const parts = posix.normalize(filepath).split('/').slice(0, -1);
  return ['dir:', ...parts.map((_, depth) => directoryPoint(parts.slice(0, depth + 1).join('/')))];
}

/**
 * Which files a function that reads files may read: the one its argument names, else all those in the directory that the
 * beginning of the argument names.
 * @param file of the block, relative to the root directory
 */
export function filesRead(call: { name: string; argument: string }, file: string): string {
  const { text, isWhole } = literalOf(call.argument.trim(), posix.dirname(file));
  // Where the root directory itself stands is not known here.
  if (posix.isAbsolute(text)) return directoryPoint('');
  if (call.name === 'fileset') return directoryPoint(isWhole ? text : posix.dirname(`${text}x`));
  return isWhole ? filePoint(text) : directoryPoint(posix.dirname(`${text}x`));
}

function directoryPoint(path: string): string {
  const normal = posix.normalize(path).replace(/\/$/, '');
  return `dir:${normal === '.' ? '' : normal}`;
}

/** The text that an argument begins with as far as it is known, and whether that is all of it. */
function literalOf(argument: string, moduleDirectory: string): { text: string; isWhole: boolean } {
  const places: Readonly<Record<string, string>> = {
    'path.module': moduleDirectory,
    'path.root': '.',
    'path.cwd': '.',
  };
  const place = places[argument];
  if (place !== undefined) return { text: place, isWhole: true };
  if (!argument.startsWith('"') || !argument.endsWith('"')) return { text: '', isWhole: false };
  let text = '';
  let rest = argument.slice(1, -1);
  while (rest !== '') {
    const [, plain, name] = /^(?:([^"$%\\]+|[$%](?![{$%]))|\$\{\s*(path\.\w+)\s*\})/.exec(rest) ?? [];
    const known = plain ?? (name === undefined ? undefined : places[name]);
    if (known === undefined) return { text, isWhole: false };
    text += known;
    rest = plain === undefined ? rest.slice(rest.indexOf('}') + 1) : rest.slice(plain.length);
  }
  return { text, isWhole: true };
}
