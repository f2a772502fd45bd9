export interface Run {
  text: string;
  /** 0 to 7 as terminals count them, and 8 to 15 for the bright ones */
  color?: number;
  isBold?: boolean;
}

const SEQUENCE =
  /\u001b(?:\[([0-9;:?]*)[ -/]*([@-~])|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[PX^_][^\u001b]*(?:\u001b\\)?|[ -/]*[0-~])/g;
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f\u0080-\u009f]/g;

/**
 * Cuts terminal output into runs of one look. Colors and bold are kept; links, titles, movements of the cursor and every
 * other sequence are dropped, so that output is nothing but text.
 */
export function parseAnsi(output: string): Run[] {
  const runs: Run[] = [];
  let look: Omit<Run, 'text'> = {};
  let end = 0;
  const push = (raw: string): void => {
    const text = raw.replaceAll('\r\n', '\n').replace(CONTROL, '');
    if (text !== '') runs.push({ text, ...look });
  };
  for (const match of output.matchAll(SEQUENCE)) {
    push(output.slice(end, match.index));
    end = match.index + match[0].length;
    if (match[2] === 'm') look = nextLook(look, match[1] ?? '');
  }
  push(output.slice(end));
  return runs;
}

function nextLook(look: Omit<Run, 'text'>, codes: string): Omit<Run, 'text'> {
  let next = { ...look };
  const list = codes.split(/[;:]/).map(Number);
  for (let index = 0; index < list.length; index += 1) {
    const code = list[index] ?? 0;
    // 38;5;n and 38;2;r;g;b name colors of a larger palette: their parameters are no codes.
    if (code === 38 || code === 48) index += list[index + 1] === 2 ? 4 : 2;
    else if (code === 0) next = {};
    else if (code === 1) next = { ...next, isBold: true };
    else if (code === 22) next = without(next, 'isBold');
    else if (code === 39) next = without(next, 'color');
    else if (code >= 30 && code <= 37) next = { ...next, color: code - 30 };
    else if (code >= 90 && code <= 97) next = { ...next, color: code - 82 };
  }
  return next;
}

function without(look: Omit<Run, 'text'>, name: 'color' | 'isBold'): Omit<Run, 'text'> {
  return Object.fromEntries(Object.entries(look).filter(([key]) => key !== name));
}
