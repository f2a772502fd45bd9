import { isValidElement, type ReactNode } from 'react';

/** A longer word may be broken, so that a table does not become wider than the page. */
const LONGEST_WORD = 20;

/**
 * Whether the text of a cell can be shown without breaking a word: `one` for a single word, which stays on one line, `some`
 * for several, `undefined` for everything else, such as long words of users.
 */
export function wordsIn(content: ReactNode): 'one' | 'some' | undefined {
  const text = textOf(content);
  if (text === undefined) return undefined;
  const words = text.split(/\s+/);
  if (words.some((word) => word.length > LONGEST_WORD)) return undefined;
  return words.length === 1 ? 'one' : 'some';
}

function textOf(content: ReactNode): string | undefined {
  if (typeof content === 'string' || typeof content === 'number') return String(content);
  if (!isValidElement<{ children?: ReactNode }>(content) || content.type !== 'bdi') return undefined;
  return textOf(content.props.children);
}
