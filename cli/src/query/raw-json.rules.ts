/**
 * The parts of a JSON text as they are written, so that no number loses a digit on the way. The text comes from the
 * service and is taken to be valid.
 */

/** Elements of an array. */
export function elementsOf(text: string): string[] {
  return partsOf(text).map(([part]) => part);
}

/** Members of an object, in order. */
export function membersOf(text: string): Map<string, string> {
  return new Map(
    partsOf(text).map(([part, colon]) => [
      JSON.parse(part.slice(0, colon)) as string,
      part.slice(colon + 1).trim(),
    ]),
  );
}

/** What stands between the commas of the outermost array or object, each with the place of its first colon. */
function partsOf(text: string): [part: string, colon: number][] {
  const parts: [string, number][] = [];
  let depth = 0;
  let start = 0;
  let colon = -1;
  const end = (at: number): void => {
    const part = text.slice(start, at);
    const leading = part.length - part.trimStart().length;
    if (part.trim() !== '') parts.push([part.trim(), colon - start - leading]);
    start = at + 1;
    colon = -1;
  };
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"') at = endOfString(text, at);
    else if (character === '[' || character === '{') {
      if (++depth === 1) start = at + 1;
    } else if (character === ']' || character === '}') {
      if (--depth === 0) end(at);
    } else if (depth === 1 && character === ',') end(at);
    else if (depth === 1 && character === ':' && colon === -1) colon = at;
  }
  return parts;
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"') return at;
  }
  return text.length;
}
