import { minifiedJson, parseRaw, printRaw, type RawJson } from '../documents/index.js';

type Members = [name: string, value: RawJson][];

/** The bodies of a block, below `depth` names, as tokens. */
export function rawBodies(data: string, depth: number): Members[] {
  let raw: RawJson = parseRaw(minifiedJson(data));
  for (let i = 0; i < depth; i++) raw = membersOf(raw)[0]?.[1] ?? 'null';
  return listed(raw).map(membersOf);
}

/** Something that may stand alone or in a list. */
export function listed(raw: RawJson): readonly RawJson[] {
  return typeof raw === 'object' && 'items' in raw ? raw.items : [raw];
}

export function membersOf(raw: RawJson): Members {
  return typeof raw === 'object' && 'entries' in raw ? raw.entries : [];
}

/** A `terraform` block as a runner gets it: where the state is kept is not its business. */
export function withoutBackend(data: string): string {
  const bodies = rawBodies(data, 1).map((body) => ({
    entries: body.filter(([name]) => name !== 'backend' && name !== 'cloud'),
  }));
  return printRaw({ entries: [['terraform', { items: bodies }]] });
}
