/** Values of the placeholders of a template. */
export type TemplateValues = Readonly<Record<string, string>>;

const PLACEHOLDER = /\{(\w+)\}/g;
const special = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

/**
 * A template such as `cluster/{name}/{uuid}` as an expression. A placeholder stands for characters other than `/` and
 * `:`, unless `forms` says otherwise.
 */
export function templateExpression(
  template: string,
  forms: Readonly<Record<string, string>> = {},
  flags = '',
): RegExp {
  let source = '';
  let at = 0;
  const seen = new Set<string>();
  for (const match of template.matchAll(PLACEHOLDER)) {
    const [whole, name = ''] = match;
    source += special(template.slice(at, match.index));
    source += seen.has(name) ? `\\k<${name}>` : `(?<${name}>${forms[name] ?? '[^/:]+'})`;
    seen.add(name);
    at = match.index + whole.length;
  }
  return new RegExp(`^${source}${special(template.slice(at))}$`, flags);
}

/** The template with the values put in; an unknown placeholder stays empty. */
export function filledTemplate(template: string, values: TemplateValues): string {
  return template.replace(PLACEHOLDER, (_, name: string) => values[name] ?? '');
}

/** Characters that a template demands: of two that match, the one with more says more. */
export function literalLength(template: string): number {
  return template.replace(PLACEHOLDER, '').length;
}
