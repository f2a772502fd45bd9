/** What a client says of itself in the body of LOCK. */
export interface LockInfo {
  who?: string;
  operation?: string;
  version?: string;
  info?: string;
}

const LONGEST_TEXT = 500;
const MEMBERS = { who: 'Who', operation: 'Operation', version: 'Version', info: 'Info' } as const;

/** Reads the body of LOCK as it was stored. Members that are no text, or empty, are left out. */
export function lockInfoOf(text: string): LockInfo {
  const body = parsed(text);
  const found: LockInfo = {};
  for (const [name, member] of Object.entries(MEMBERS) as [keyof LockInfo, string][]) {
    const value = body[member];
    if (typeof value === 'string' && value !== '') found[name] = value.slice(0, LONGEST_TEXT);
  }
  return found;
}

function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
