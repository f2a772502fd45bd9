import { DIRECTORY_KEYS } from './tag-catalogs.js';
import { tagQueryErrors } from './tag-query.errors.js';
import { TagExpression, TagQuery } from './tag-query.parser.js';

/** A directory in a workspace as a tag query of a comment or of the repository configuration sees it. */
export interface TaggedDirectory {
  dir: string;
  workspace: string;
  environment?: string;
  tags: ReadonlySet<string>;
}

/** Checks the keys once, so that a mistake is reported even when no directory is there to match. */
export function directoryMatcher(query: TagQuery): (directory: TaggedDirectory) => boolean {
  checkKeys(query.where);
  return (directory) => matches(query.where, directory);
}

function matches(expression: TagExpression, directory: TaggedDirectory): boolean {
  switch (expression.kind) {
    case 'all':
      return true;
    case 'not':
      return !matches(expression.operand, directory);
    case 'and':
      return expression.operands.every((operand) => matches(operand, directory));
    case 'or':
      return expression.operands.some((operand) => matches(operand, directory));
    case 'term':
      if (expression.key === undefined) return directory.tags.has(expression.value);
      return (directory[expression.key as (typeof DIRECTORY_KEYS)[number]] ?? '') === expression.value;
  }
}

function checkKeys(expression: TagExpression): void {
  if (expression.kind === 'not') checkKeys(expression.operand);
  if (expression.kind === 'and' || expression.kind === 'or') expression.operands.forEach(checkKeys);
  if (expression.kind !== 'term' || expression.key === undefined) return;
  if (!DIRECTORY_KEYS.some((key) => key === expression.key))
    throw tagQueryErrors.UNKNOWN_TAG(
      `key ${JSON.stringify(expression.key.slice(0, 64))} is not supported here; use ${DIRECTORY_KEYS.join(', ')} or a tag`,
    );
}
