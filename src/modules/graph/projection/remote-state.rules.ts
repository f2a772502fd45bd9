/** What a `terraform_remote_state` data source says of the state it reads. */
export interface RemoteStateReference {
  groupId: string;
  workspace: string;
  /** output values that may tell which instance feeds them */
  values: string[];
}

const ADDRESS =
  /\/states\/backend\/([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})(?:\/([^/?#]+))?\/?(?:[?#].*)?$/i;
const MOST_VALUES = 200;

/** Reads the masked attributes of the data source; undefined when it does not read a state of this service. */
export function remoteStateReference(attributes: string): RemoteStateReference | undefined {
  const tree: unknown = JSON.parse(attributes);
  if (at(tree, 'backend') !== 'http') return undefined;
  const address = at(unwrapped(at(tree, 'config')), 'address');
  const match = typeof address === 'string' ? ADDRESS.exec(address) : null;
  if (!match?.[1]) return undefined;
  const workspace = match[2] === undefined ? 'default' : decoded(match[2]);
  return {
    groupId: match[1].toLowerCase(),
    workspace,
    values: distinctiveValues(unwrapped(at(tree, 'outputs'))),
  };
}

/** The identifiers among the strings of an output's value, or of all outputs: what names one object and no other. */
export function distinctiveValues(value: unknown): string[] {
  return [...new Set(strings(value).filter(isDistinctive))].slice(0, MOST_VALUES);
}

/** Dynamic attributes are written as `{value, type}`. */
function unwrapped(value: unknown): unknown {
  return at(value, 'type') === undefined || at(value, 'value') === undefined ? value : at(value, 'value');
}

function at(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key]
    : undefined;
}

function strings(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(strings);
}

/** Many objects carry these: regions and zones, sizes such as `t3.medium`, numbers, versions, networks, times. */
const SHARED =
  /^([a-z]{2,}(-[a-z]+)+-?\d{1,2}[a-z]?|[a-z]+\d+[a-z]*\.[\w.-]+|v?[\d.]+(-\w+)?|[\d.]+\/\d+|[\da-f:]+\/\d+|\d{4}-\d\d-\d\d(T.*)?)$/;

/** Long enough, in one piece and with a digit: an identifier rather than a word, a sentence or a setting. */
function isDistinctive(value: string): boolean {
  return (
    value.length >= 6 && value.length <= 500 && /\d/.test(value) && !/\s/.test(value) && !SHARED.test(value)
  );
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
