/** What a gate asks for. Entries are names of users, `user:<name>`, `team:<slug>`, `role:<level>` and `*`. */
export interface GateRequirement {
  allOf: readonly string[];
  anyOf: readonly string[];
  anyOfCount: number;
}

/** Whether somebody is one of the people of an entry that names a team or a role; the provider knows. */
export type IsOneOf = (username: string, entry: string) => Promise<boolean>;

/** As lists of people spell an entry; gates may name users without a prefix. */
export function toPerson(entry: string): string {
  return entry === '*' || /^(user|team|role):/.test(entry) ? entry : `user:${entry}`;
}

/**
 * What is missing, for people; undefined: nothing. Counted are people, not entries: somebody who is named twice, or who is
 * in a team that is named besides, is one. A gate that names nobody takes one approval of anybody.
 */
export async function missingApprovals(
  gate: GateRequirement,
  approvedBy: readonly string[],
  isOneOf: IsOneOf,
): Promise<string | undefined> {
  const people = [...new Map(approvedBy.map((username) => [username.toLowerCase(), username])).values()];
  const missing: string[] = [];
  for (const entry of gate.allOf)
    if ((await thoseOf(people, entry, isOneOf)).length === 0) missing.push(entry);
  if (missing.length > 0) return `needs ${namesOf(missing)}`;
  if (gate.anyOf.length === 0) {
    const needed = gate.allOf.length > 0 ? 0 : gate.anyOfCount;
    return people.length >= needed ? undefined : `needs ${needed - people.length} of anybody`;
  }
  const counted = new Set<string>();
  for (const entry of gate.anyOf)
    for (const username of await thoseOf(people, entry, isOneOf)) counted.add(username);
  if (counted.size >= gate.anyOfCount) return undefined;
  return `needs ${gate.anyOfCount - counted.size} of ${namesOf(gate.anyOf)}`;
}

async function thoseOf(people: readonly string[], entry: string, isOneOf: IsOneOf): Promise<string[]> {
  const person = toPerson(entry);
  if (person === '*') return [...people];
  if (person.startsWith('user:'))
    return people.filter((username) => `user:${username}`.toLowerCase() === person.toLowerCase());
  const found: string[] = [];
  for (const username of people) if (await isOneOf(username, person)) found.push(username);
  return found;
}

function namesOf(entries: readonly string[]): string {
  return entries.map((entry) => (entry === '*' ? 'anybody' : entry.replace(/^user:/, ''))).join(', ');
}
