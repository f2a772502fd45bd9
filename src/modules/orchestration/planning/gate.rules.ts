/** What a gate asks for. Entries are user names, `team:<slug>` and `role:<level>`, resolved to names before. */
export interface GateRequirement {
  allOf: readonly string[];
  anyOf: readonly string[];
  anyOfCount: number;
}

const sameName = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();
const withoutPrefix = (name: string): string => name.replace(/^user:/, '');

/** What is missing, for people; undefined: nothing. A gate that names nobody takes one approval of anybody. */
export function missingApprovals(gate: GateRequirement, approvedBy: readonly string[]): string | undefined {
  const hasApproved = (entry: string) => approvedBy.some((name) => sameName(name, withoutPrefix(entry)));
  const missing = gate.allOf.filter((entry) => !hasApproved(entry));
  if (missing.length > 0) return `needs ${missing.map(withoutPrefix).join(', ')}`;
  const counted = gate.anyOf.length === 0 ? [...approvedBy] : gate.anyOf.filter(hasApproved);
  const needed = gate.allOf.length > 0 && gate.anyOf.length === 0 ? 0 : gate.anyOfCount;
  if (counted.length >= needed) return undefined;
  const whom = gate.anyOf.length === 0 ? 'anybody' : gate.anyOf.map(withoutPrefix).join(', ');
  return `needs ${needed - counted.length} of ${whom}`;
}
