import { isArray, isObject, minifiedJson, parseRaw, type RawJson } from '../documents/index.js';

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

/** A block as it is kept: where a `terraform` block says the state is, and by which secrets, is not the service's business. */
export function withoutBackend(block: RawJson): RawJson {
  const entries = membersOf(block).map(([kind, value]): [string, RawJson] => {
    if (kind !== 'terraform') return [kind, value];
    return [kind, isArray(value) ? { items: value.items.map(withoutPlace) } : withoutPlace(value)];
  });
  return { entries };
}

function withoutPlace(body: RawJson): RawJson {
  if (!isObject(body)) return body;
  return { entries: body.entries.filter(([name]) => name !== 'backend' && name !== 'cloud') };
}
