/**
 * Places where Terraform reads names and no values. Its JSON syntax holds them as plain strings, without `${…}`
 * (Terraform documentation, JSON configuration syntax).
 */
export type BarePlace = 'name' | 'names' | 'name map' | 'type';

const OBJECTS = new Set(['resource', 'data', 'ephemeral']);

interface Block {
  /** type of the outermost block */
  top: string;
  /** type of the block that has the argument */
  type: string;
  depth: number;
  /** a resource, data source or ephemeral resource */
  isObject: boolean;
}

const isTopOf =
  (...types: string[]) =>
  ({ depth, top }: Block): boolean =>
    depth === 1 && types.includes(top);
const isObjectOrTopOf = (...types: string[]) => {
  const isTop = isTopOf(...types);
  return (block: Block): boolean => block.isObject || isTop(block);
};
const isSecond =
  (type: string) =>
  (block: Block): boolean =>
    block.depth === 2 && block.type === type;

/** What an argument holds, and in which blocks. */
const PLACES: Readonly<Record<string, { holds: BarePlace; isIn: (block: Block) => boolean }>> = {
  depends_on: { holds: 'names', isIn: isObjectOrTopOf('module', 'output') },
  provider: { holds: 'name', isIn: isObjectOrTopOf('import') },
  providers: { holds: 'name map', isIn: isTopOf('module') },
  ignore_changes: { holds: 'names', isIn: isSecond('lifecycle') },
  replace_triggered_by: { holds: 'names', isIn: isSecond('lifecycle') },
  when: { holds: 'name', isIn: isSecond('provisioner') },
  on_failure: { holds: 'name', isIn: isSecond('provisioner') },
  type: { holds: 'type', isIn: isTopOf('variable') },
  from: { holds: 'name', isIn: isTopOf('moved', 'removed') },
  to: { holds: 'name', isIn: isTopOf('moved', 'import') },
  iterator: { holds: 'name', isIn: ({ type }) => type === 'dynamic' },
  configuration_aliases: { holds: 'names', isIn: ({ type }) => type === 'required_providers' },
};

/** `path`: the block types from the top down, `resource`, `lifecycle`; `name`: the argument in it. */
export function barePlace(path: readonly string[], name: string): BarePlace | undefined {
  const place = Object.hasOwn(PLACES, name) ? PLACES[name] : undefined;
  return place?.isIn(blockAt(path)) === true ? place.holds : undefined;
}

function blockAt(path: readonly string[]): Block {
  const [top = ''] = path;
  const [type, depth] = [path.at(-1) ?? '', path.length];
  // Data sources stand in checks as well as at the top.
  const isObject = (depth === 1 && OBJECTS.has(top)) || (top === 'check' && depth === 2 && type === 'data');
  return { top, type, depth, isObject };
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
