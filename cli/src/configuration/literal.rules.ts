import { isExact, type Json, type JsonObject, own, put } from './block-data.rules.js';
import { HclParser } from './hcl-parser.js';
import { plainValue } from './hcl-templates.js';
import type { HclExpression } from './hcl-tree.js';

/** The value of an expression that refers to nothing, as variable files hold them. */
export function literalValue(parser: HclParser, expression: HclExpression): Json {
  const notLiteral = (): never =>
    parser.fail('a value is expected here: no names, no functions', expression.start);
  switch (expression.kind) {
    case 'template':
      return expression.isLiteral ? plainValue(expression.text) : notLiteral();
    case 'number':
      return number(parser.source(expression));
    case 'keyword': {
      const word = parser.source(expression);
      return word === 'null' ? null : word === 'true';
    }
    case 'tuple':
      return expression.items.map((item) => literalValue(parser, item));
    case 'object':
      return object(parser, expression.items);
    case 'name':
      return notLiteral();
    case 'other': {
      const negative = /^-\s*(\d[\d.eE+-]*)$/.exec(parser.source(expression))?.[1];
      return negative === undefined ? notLiteral() : number(`-${negative}`);
    }
  }
}

/** A text of the command line or the environment as a value: a whole expression. */
export function literalText(text: string, name: string): Json {
  const parser = new HclParser(text, `the value of ${name}`);
  return literalValue(parser, parser.wholeExpression());
}

/** A number that JavaScript would round travels as text; Terraform makes a number of it again. */
function number(text: string): Json {
  return isExact(text.replace(/^-/, '')) ? Number(text) : text;
}

function object(
  parser: HclParser,
  items: readonly { key: HclExpression; value: HclExpression }[],
): JsonObject {
  const found: JsonObject = {};
  for (const { key, value } of items) {
    const name = keyOf(parser, key);
    if (own(found, name) !== undefined) parser.fail(`the key ${name} stands twice`, key.start);
    put(found, name, literalValue(parser, value));
  }
  return found;
}

function keyOf(parser: HclParser, key: HclExpression): string {
  if (key.kind === 'name') return parser.source(key);
  const value = literalValue(parser, key);
  return typeof value === 'object' ? parser.fail('a key is a name or a text', key.start) : String(value);
}
