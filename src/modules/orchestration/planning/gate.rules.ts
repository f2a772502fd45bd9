/** What a gate asks for. Entries are names of users, `user:<name>`, `team:<slug>`, `role:<level>` and `*`. */
export interface GateRequirement {
  allOf: readonly string[];
  anyOf: readonly string[];
  anyOfCount: number;
}

/** Whether somebody is one of the people of an entry that names a team or a role; the provider knows. */
export type IsOneOf = (username: string, entry: string) => Promise<boolean>;

/** Teams and roles that the provider is asked about for one commit; the plan chooses how many its gates name. */
const MAX_GROUPS = 20;
const TOO_MANY_GROUPS = `waits: the gates of a commit must not name more than ${MAX_GROUPS} teams and roles`;

/** As lists of people spell an entry; gates may name users without a prefix. */
export function toPerson(entry: string): string {
  return entry === '*' || /^(user|team|role):/.test(entry) ? entry : `user:${entry}`;
}

/**
 * What is missing, for people; undefined: nothing. The first entry of `allOf` that is missing answers. Counted are people, not entries: somebody who is named twice, or who is
 * in a team that is named besides, is one. A gate that names nobody takes one approval of anybody.
 */
export async function missingApprovals(
  gate: GateRequirement,
  approvedBy: readonly string[],
  isOneOf: IsOneOf,
): Promise<string | undefined> {
  const people = [...new Map(approvedBy.map((username) => [username.toLowerCase(), username])).values()];
  for (const entry of gate.allOf)
    if ((await thoseOf(people, entry, isOneOf)).length === 0) return `needs ${namesOf([entry])}`;
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

/** Asks about each person and entry once. */
export function remembering(isOneOf: IsOneOf): IsOneOf {
  const known = new Map<string, Promise<boolean>>();
  return (username, entry) => {
    const key = JSON.stringify([username.toLowerCase(), entry]);
    const answer = known.get(key) ?? isOneOf(username, entry);
    known.set(key, answer);
    return answer;
  };
}

/** What keeps a gate waiting whose teams and roles are more than the gates before it leave room for; adds them to `groups`. */
export function exceedsGroups(gate: GateRequirement, groups: Set<string>): string | undefined {
  const own = [...gate.allOf, ...gate.anyOf].filter((entry) => /^(team|role):/.test(entry));
  const all = new Set([...groups, ...own]);
  if (all.size > MAX_GROUPS) return TOO_MANY_GROUPS;
  for (const entry of own) groups.add(entry);
  return undefined;
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
