import { globMatcher, isGlob, MatchingBudget, MatchingTooLong } from './glob.rules.js';

/** A file that a change touched; of a rename both names count. */
export interface ChangedFile {
  path: string;
  previousPath?: string | undefined;
}

const OF_DIRECTORY = '${DIR}/';

/** Answers which directories a change touches; made once for a change and asked for each directory. */
export class ChangedFiles {
  private readonly paths: readonly string[];
  /** by directory: paths of changed files below it, relative to it */
  private readonly below = new Map<string, string[]>();
  /** answers for patterns that do not name the directory */
  private readonly anywhere = new Map<string, boolean>();
  private readonly matchers = new Map<string, (path: string) => boolean>();
  private readonly pathSet: ReadonlySet<string>;

  /** When nothing is left of the budget, every pattern counts as matched: more is planned, never less. */
  constructor(
    files: readonly ChangedFile[],
    private readonly budget = new MatchingBudget(),
  ) {
    const names = files.flatMap(({ path, previousPath }) =>
      previousPath === undefined ? [path] : [path, previousPath],
    );
    this.pathSet = new Set(names);
    this.paths = [...this.pathSet];
    for (const path of this.paths) this.indexByDirectory(path);
  }

  /** Whether a changed file matches one of the patterns, `${DIR}` standing for the directory. */
  touches(directory: string, patterns: readonly string[]): boolean {
    try {
      return patterns.some((pattern) => this.matches(directory, pattern));
    } catch (error) {
      if (error instanceof MatchingTooLong) return true;
      throw error;
    }
  }

  private matches(directory: string, pattern: string): boolean {
    if (pattern.startsWith(OF_DIRECTORY) && !pattern.includes('..')) {
      const matches = this.matcher(pattern.slice(OF_DIRECTORY.length));
      return (this.below.get(directory) ?? []).some(matches);
    }
    if (pattern.includes('${DIR}')) {
      const place = directory === '.' ? '' : directory;
      const glob = normalized(pattern.replaceAll('${DIR}', place));
      if (!isGlob(glob)) return this.pathSet.has(glob);
      return this.paths.some(globMatcher(glob, this.budget));
    }
    let known = this.anywhere.get(pattern);
    if (known === undefined) {
      known = this.paths.some(this.matcher(normalized(pattern)));
      this.anywhere.set(pattern, known);
    }
    return known;
  }

  private matcher(pattern: string): (path: string) => boolean {
    let matcher = this.matchers.get(pattern);
    if (!matcher) this.matchers.set(pattern, (matcher = globMatcher(pattern, this.budget)));
    return matcher;
  }

  private indexByDirectory(path: string): void {
    this.addBelow('.', path);
    for (let slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1))
      this.addBelow(path.slice(0, slash), path.slice(slash + 1));
  }

  private addBelow(directory: string, relative: string): void {
    const paths = this.below.get(directory);
    if (paths) paths.push(relative);
    else this.below.set(directory, [relative]);
  }
}

/** `a/../b` is `b`; what leaves the repository matches nothing. */
function normalized(pattern: string): string {
  const segments: string[] = [];
  for (const segment of pattern.split('/')) {
    if (segment === '..') {
      if (segments.length === 0) return '\u0000';
      segments.pop();
    } else if (segment !== '' && segment !== '.') segments.push(segment);
  }
  return segments.join('/');
}
