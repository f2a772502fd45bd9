import { isArray, isObject, RawJson } from './raw-json.js';

/** What stands in the queryable tables instead of a secret. */
export const MASK = '"(sensitive value)"';

type Step = string | number | undefined;

/** Paths that share their beginning share nodes, so that all of them are followed in one walk over the value. */
interface PathNode {
  /** a path ends here, or goes on in a way that is not understood */
  isEnd: boolean;
  /** some path goes on by a name, which no list has */
  isNamed: boolean;
  children: Map<string, PathNode>;
}

/** Masks every value that a path leads to, in time linear in the value and the paths. */
export function withoutPaths(value: RawJson, paths: readonly (readonly Step[])[]): RawJson {
  if (paths.length === 0) return value;
  const root = aNode();
  for (const path of paths) add(root, path);
  return masked(value, root);
}

/** The paths of a version 4 `sensitive_attributes`; a step that is not understood is undefined and masks its parent. */
export function pathsOf(sensitive: unknown): Step[][] {
  if (!Array.isArray(sensitive)) return [];
  return sensitive.map((path: unknown) => (Array.isArray(path) ? path.map(stepOf) : [stepOf(path)]));
}

function stepOf(step: unknown): Step {
  if (typeof step === 'string' || typeof step === 'number') return step;
  if (typeof step !== 'object' || step === null || !('value' in step)) return undefined;
  const { value } = step;
  if (typeof value === 'string' || typeof value === 'number') return value;
  return typeof value === 'object' && value !== null && 'value' in value ? stepOf(value) : undefined;
}

function aNode(): PathNode {
  return { isEnd: false, isNamed: false, children: new Map() };
}

function add(root: PathNode, path: readonly Step[]): void {
  let node = root;
  for (const step of path) {
    // What is above the end of another path is hidden with it.
    if (node.isEnd || step === undefined) break;
    node.isNamed ||= typeof step === 'string';
    const name = String(step);
    let child = node.children.get(name);
    if (!child) node.children.set(name, (child = aNode()));
    node = child;
  }
  node.isEnd = true;
}

function masked(value: RawJson, node: PathNode): RawJson {
  if (typeof value === 'string' || node.isEnd) return hidden(value);
  if (isObject(value)) {
    return {
      entries: value.entries.map(([key, item]) => {
        const child = node.children.get(key);
        return [key, child ? masked(item, child) : item];
      }),
    };
  }
  // A set is indexed by value: rather too much hidden than a secret shown.
  if (!isArray(value) || node.isNamed) return MASK;
  return {
    items: value.items.map((item, index) => {
      const child = node.children.get(String(index));
      return child ? masked(item, child) : item;
    }),
  };
}

export function hidden(value: RawJson): RawJson {
  return value === 'null' ? value : MASK;
}
