/** The first record of a CSV text; undefined when it does not end within the text. A byte order mark is skipped. */
export function csvHeader(text: string): string[] | undefined {
  const names: string[] = [];
  let [name, isQuoted, wasQuoted] = ['', false, false];
  for (let at = text.startsWith('\ufeff') ? 1 : 0; at < text.length; at++) {
    const char = text[at];
    if (isQuoted) {
      if (char !== '"') name += char;
      else if (text[at + 1] === '"') name += text[++at];
      else [isQuoted, wasQuoted] = [false, true];
    } else if (char === '"' && name === '' && !wasQuoted) isQuoted = true;
    else if (char === ',' || char === '\n' || (char === '\r' && text[at + 1] === '\n')) {
      names.push(name.trim());
      [name, wasQuoted] = ['', false];
      if (char !== ',') return names;
    } else name += char;
  }
  return undefined;
}
