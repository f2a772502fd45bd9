import type { LogChunkView } from '../../platform/client';
import { directoryOf } from './overview-words';

const [BOLD, RESET] = ['\u001b[1m', '\u001b[0m'];
/** Place of what hooks of the run print; no directory has this name. */
const OF_RUN = '';

/**
 * The log of a run as one text. Directories run at the same time: their lines stay whole, and a heading names the place
 * wherever it changes.
 */
export function runLogText(chunks: readonly Pick<LogChunkView, 'dir' | 'workspace' | 'text'>[]): string {
  const unfinished = new Map<string, string>();
  const parts: string[] = [];
  let shownPlace = OF_RUN;
  const print = (place: string, text: string): void => {
    if (place !== shownPlace) {
      const isInLine = parts.length > 0 && !parts.at(-1)?.endsWith('\n');
      parts.push(
        `${isInLine ? '\n' : ''}${RESET}${BOLD}==> ${place === OF_RUN ? 'the run' : place} <==${RESET}\n`,
      );
    }
    shownPlace = place;
    parts.push(text);
  };
  for (const chunk of chunks) {
    const place = placeOf(chunk);
    const before = unfinished.get(place) ?? '';
    const end = chunk.text.lastIndexOf('\n') + 1;
    if (end > 0) print(place, before + chunk.text.slice(0, end));
    unfinished.set(place, end > 0 ? chunk.text.slice(end) : before + chunk.text);
  }
  for (const [place, text] of unfinished) if (text !== '') print(place, text);
  return parts.join('');
}

function placeOf({ dir, workspace }: Pick<LogChunkView, 'dir' | 'workspace'>): string {
  return dir === undefined ? OF_RUN : directoryOf({ dir, workspace: workspace ?? 'default' });
}
