import type { ResourceText } from '../../documents/index.js';

/** A resource may be divided between chunks: its parts are put together, and what is missing of it is closed. */
export function continueOrAdd(
  resources: ResourceText[],
  next: ResourceText,
  context: Buffer | undefined,
): void {
  const last = resources.at(-1);
  if (next.head === '' && last?.address === next.address) {
    last.instances.push(...next.instances);
    if (next.tail !== '') last.tail = next.tail;
  } else
    resources.push({
      ...next,
      head: next.head === '' && context ? context.toString('utf8').trim() : next.head,
      tail: next.tail === '' ? ']\n    }' : next.tail,
    });
}
