import { HclParser } from '../configuration/hcl-parser.js';
import { HclSyntaxError } from '../configuration/hcl-syntax-error.js';

/** The inside of an expression, or of a directive, with `path.module` as the string it is in the original directory. */
export function withPathModule(source: string, directory: string): string {
  if (!source.includes('path')) return source;
  let text = '';
  let from = 0;
  for (const { start, end } of modulePaths(source)) {
    text += source.slice(from, start) + JSON.stringify(directory === '' ? '.' : directory);
    from = end;
  }
  return text + source.slice(from);
}

/** A directive is no expression by itself: as part of a template both are read. */
function modulePaths(source: string): { start: number; end: number }[] {
  for (const [before, after] of [
    ['${', '}'],
    ['%{', '}'],
  ] as const) {
    try {
      const parser = new HclParser(before + source + after, '');
      parser.wholeTemplate();
      return parser.modulePaths
        .map(({ start, end }) => ({ start: start - before.length, end: end - before.length }))
        .sort((a, b) => a.start - b.start);
    } catch (error) {
      if (!(error instanceof HclSyntaxError)) throw error;
    }
  }
  return [];
}
