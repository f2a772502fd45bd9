/** Texts of a billed line that are kept; `start` is the beginning of its charge period. */
export type Field =
  | 'billed'
  | 'effective'
  | 'currency'
  | 'start'
  | 'period'
  | 'resource'
  | 'type'
  | 'service'
  | 'region'
  | 'category'
  | 'account'
  | 'provider';

/** Which columns of a file hold what, by their position. */
export interface Layout {
  format: 'focus' | 'cur';
  /** several columns: the first one that is not empty */
  columns: Readonly<Record<Field, readonly number[]>>;
  /** one column with all tags, as JSON or as a map */
  tagMap: number | undefined;
  /** columns with one tag each */
  tags: readonly { key: string; column: number }[];
  /** value of `category` in the file, in small letters → charge category; others stay as they are */
  categories: ReadonlyMap<string, string>;
  /** the effective cost of lines with this category, where another column than the first holds it */
  effectiveByCategory: readonly { category: string; column: number }[];
}

/** Positions by normalized name: letters and digits only, in small letters. The first of equal names counts. */
export class ColumnNames {
  private readonly positions = new Map<string, number>();

  constructor(readonly names: readonly string[]) {
    for (const [position, name] of names.entries()) {
      const normal = name.toLowerCase().replace(/[^a-z0-9]/g, '');
      if (!this.positions.has(normal)) this.positions.set(normal, position);
    }
  }

  find(name: string): number | undefined {
    return this.positions.get(name.toLowerCase().replace(/[^a-z0-9]/g, ''));
  }

  /** positions of those that the file has */
  all(...names: string[]): number[] {
    return names.map((name) => this.find(name)).filter((position) => position !== undefined);
  }

  missing(names: readonly string[]): string | undefined {
    return names.find((name) => this.find(name) === undefined);
  }
}
