import { elementsOf, membersOf } from '../query/raw-json.rules.js';
import type { Bundle } from './bundle.js';
import type { Calls } from './calls.js';

const PAGE = 500;
const AT_ONCE = 4;

interface Place {
  limit: number;
  cursor?: string;
}

interface Page {
  hcl: Bundle['hcl'];
  files: Bundle['files'];
  /** members of the state document as they were written */
  state: Map<string, string>;
}

/** Fetches all pages of a bundle, some at once, and puts them together. */
export async function fetchBundle(actuator: Calls): Promise<Bundle> {
  const fetch = async (page: Place): Promise<Page> =>
    readPage(await actuator.text('POST', '/api/v1/actuator/bundle', JSON.stringify(page)));
  // Whatever the pages are, one of them is the first.
  const [{ pages }, first] = await Promise.all([
    actuator.post<{ pages: Place[] }>('/api/v1/actuator/bundle/cursors', { limit: PAGE }),
    fetch({ limit: PAGE }),
  ]);
  const found = [first];
  const queue = [...pages.entries()].slice(1);
  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const [index, page] = next;
      found[index] = await fetch(page);
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, queue.length) }, work));
  return joined(found);
}

function readPage(text: string): Page {
  const members = membersOf(text);
  return {
    hcl: JSON.parse(members.get('hcl') ?? '[]') as Bundle['hcl'],
    files: JSON.parse(members.get('files') ?? '[]') as Bundle['files'],
    state: membersOf(members.get('state') ?? '{}'),
  };
}

/** Resources one after the other, outputs together; of the rest every page says the same. */
export function joined(pages: readonly Page[]): Bundle {
  const [first] = pages;
  const resources = pages.flatMap(({ state }) => elementsOf(state.get('resources') ?? '[]'));
  const outputs = new Map(pages.flatMap(({ state }) => [...membersOf(state.get('outputs') ?? '{}')]));
  const members = new Map(first?.state ?? []);
  members.set('outputs', objectOf(outputs));
  members.set('resources', `[${resources.join(',')}]`);
  const hcl = pages.flatMap((page) => page.hcl);
  return {
    hcl,
    files: pages.flatMap(({ files }) => files),
    state: objectOf(members),
    // Outputs without anything else are those that go.
    isEmpty: hcl.length === 0 && resources.length === 0 && outputs.size === 0,
  };
}

function objectOf(members: ReadonlyMap<string, string>): string {
  return `{${[...members].map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`;
}
