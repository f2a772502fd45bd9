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
    values: [...new Set(scalars(unwrapped(at(tree, 'outputs'))))].slice(0, MOST_VALUES),
  };
}

/** Dynamic attributes are written as `{value, type}`. */
function unwrapped(value: unknown): unknown {
  return at(value, 'type') === undefined ? value : at(value, 'value');
}

function at(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key]
    : undefined;
}

function scalars(value: unknown): string[] {
  if (typeof value === 'string') return isDistinctive(value) ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(scalars);
}

/** Long enough and with a digit: an identifier rather than a word, a flag or a region. */
function isDistinctive(value: string): boolean {
  return (
    value.length >= 6 &&
    value.length <= 500 &&
    /\d/.test(value) &&
    !/^[a-z]{2}(-[a-z]+)+-\d[a-z]?$/.test(value)
  );
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
