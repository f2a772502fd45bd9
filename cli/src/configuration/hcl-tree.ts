/**
 * What the parser makes of a file. Offsets count characters of the source. An expression that is neither a literal, a
 * template, a tuple nor an object is kept as its text: nobody evaluates it here.
 */
export interface HclBody {
  attributes: HclAttribute[];
  blocks: HclBlock[];
}

export interface HclAttribute {
  name: string;
  value: HclExpression;
  start: number;
}

export interface HclBlock {
  type: string;
  labels: string[];
  body: HclBody;
  start: number;
  end: number;
}

export type HclExpression = { start: number; end: number } & (
  | { kind: 'number' | 'keyword' | 'name' | 'other' }
  /** `text` is the template as JSON strings hold it: nothing escaped but `$${` and `%%{` */
  | { kind: 'template'; text: string; isLiteral: boolean }
  | { kind: 'tuple'; items: HclExpression[] }
  | { kind: 'object'; items: { key: HclExpression; value: HclExpression }[] }
);

/** One piece of a template: plain text, or a sequence with its source. */
export interface TemplatePart {
  kind: 'text' | 'interpolation' | 'directive';
  /** text as written in a template; of a sequence its inside, strip markers and comments left out */
  text: string;
  /** the whole sequence with its braces */
  source: string;
  /** `~` at its beginning, at its end */
  stripsBefore: boolean;
  stripsAfter: boolean;
}

/** A call of a function that reads the disk: its name and the text of its arguments. */
export interface FileCall {
  name: string;
  args: string[];
}
