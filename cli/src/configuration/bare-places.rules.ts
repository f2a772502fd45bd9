/**
 * Places where Terraform reads names and no values. Its JSON syntax holds them as plain strings, without `${…}`
 * (Terraform documentation, JSON configuration syntax).
 */
export type BarePlace = 'name' | 'names' | 'name map' | 'type';

const OBJECTS = new Set(['resource', 'data', 'ephemeral']);

/** `path`: the block types from the top down, `resource`, `lifecycle`; `name`: the argument in it. */
export function barePlace(path: readonly string[], name: string): BarePlace | undefined {
  const [top = ''] = path;
  const block = path.at(-1) ?? '';
  const isTop = path.length === 1;
  // Data sources stand in checks as well as at the top.
  const isObject = (isTop && OBJECTS.has(top)) || (top === 'check' && path.length === 2 && block === 'data');
  switch (name) {
    case 'depends_on':
      return isObject || (isTop && (top === 'module' || top === 'output')) ? 'names' : undefined;
    case 'provider':
      return isObject || (isTop && top === 'import') ? 'name' : undefined;
    case 'providers':
      return isTop && top === 'module' ? 'name map' : undefined;
    case 'ignore_changes':
    case 'replace_triggered_by':
      return block === 'lifecycle' && path.length === 2 ? 'names' : undefined;
    case 'when':
    case 'on_failure':
      return block === 'provisioner' && path.length === 2 ? 'name' : undefined;
    case 'type':
      return isTop && top === 'variable' ? 'type' : undefined;
    case 'from':
      return isTop && (top === 'moved' || top === 'removed') ? 'name' : undefined;
    case 'to':
      return isTop && (top === 'moved' || top === 'import') ? 'name' : undefined;
    case 'iterator':
      return block === 'dynamic' ? 'name' : undefined;
    case 'configuration_aliases':
      return block === 'required_providers' ? 'names' : undefined;
    default:
      return undefined;
  }
}

/** How many labels a nested block has; those of provider schemas have none. */
export function nestedLabels(path: readonly string[], type: string): number {
  const [top = ''] = path;
  if (type === 'dynamic') return 1;
  if (path.length !== 1) return 0;
  if (type === 'provisioner') return top === 'resource' || top === 'removed' ? 1 : 0;
  if (type === 'data') return top === 'check' ? 2 : 0;
  if (type === 'backend' || type === 'provider_meta') return top === 'terraform' ? 1 : 0;
  return 0;
}

/** Nested blocks that are Terraform's own, so that one object, too, is a block and no value. */
export function isOwnBlock(path: readonly string[], type: string): boolean {
  const [top = ''] = path;
  if (type === 'dynamic' || type === 'content') return true;
  if (path.length === 1 && OWN[top]?.includes(type)) return true;
  if (path.length !== 2) return false;
  const block = path[1] ?? '';
  if (block === 'lifecycle') return type === 'precondition' || type === 'postcondition';
  if (block === 'provisioner') return type === 'connection';
  return block === 'cloud' && type === 'workspaces';
}

/** Where a provider's schema says what is a block: a list of objects may be some. */
export function hasSchemaBlocks(path: readonly string[]): boolean {
  const [top = '', block = ''] = path;
  if (top === 'check') return block === 'data';
  if (top === 'terraform') return path.length > 1;
  return top === 'provider' || OBJECTS.has(top);
}

const OBJECT_BLOCKS = ['lifecycle', 'provisioner', 'connection'];
const OWN: Readonly<Record<string, readonly string[]>> = {
  resource: OBJECT_BLOCKS,
  data: ['lifecycle'],
  ephemeral: ['lifecycle'],
  removed: ['lifecycle', 'provisioner', 'connection'],
  variable: ['validation'],
  output: ['precondition'],
  check: ['data', 'assert'],
  terraform: ['backend', 'cloud', 'required_providers', 'provider_meta'],
};
