import type { Calls } from './calls.js';
import type { Task } from './task-polling.js';

/** Characters of a piece: at most four bytes each in UTF-8, so that a piece stays below 4 MiB. */
const PIECE = 1_000_000;
const RESULTS = '/api/v1/actuator/results';

/** Sends what a run came to, `request` being JSON text; answers the task that works on it. */
export async function sendResults(actuator: Calls, request: string): Promise<Task> {
  const send = async (idx: number, text: string): Promise<{ task: Task }> =>
    JSON.parse(await actuator.text('POST', RESULTS, `{"idx":${idx},"request":${text}}`)) as { task: Task };
  if (request.length <= PIECE) return (await send(0, request)).task;
  const pieces = piecesOf(request);
  for (const [idx, data] of pieces.entries()) await send(idx, JSON.stringify({ kind: 'chunk', data }));
  return (await send(pieces.length, '{"kind":"done"}')).task;
}

/** Slices that break no character in two. */
export function piecesOf(text: string, length = PIECE): string[] {
  const pieces: string[] = [];
  for (let from = 0; from < text.length;) {
    let to = Math.min(from + length, text.length);
    const code = text.charCodeAt(to - 1);
    if (to < text.length && code >= 0xd800 && code < 0xdc00) to--;
    pieces.push(text.slice(from, to));
    from = to;
  }
  return pieces;
}

/** An object as text, of members that are text already. */
export function objectText(members: Readonly<Record<string, string>>): string {
  return `{${Object.entries(members)
    .map(([name, value]) => `${JSON.stringify(name)}:${value}`)
    .join(',')}}`;
}
